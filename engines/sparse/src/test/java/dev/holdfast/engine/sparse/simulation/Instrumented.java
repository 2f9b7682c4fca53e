package dev.holdfast.engine.sparse.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/**
 * Loads the classes of the engine and of the simulation, and replaces their monitors, clocks,
 * identities and latches by those of a {@link Scheduler}. It can also remove a rule. The engine's
 * source code does not refer to this class.
 */
public final class Instrumented extends ClassLoader {
  private static final String PACKAGE = "dev.holdfast.engine.sparse.internal.";
  private static final String SCHEDULER = Type.getInternalName(Scheduler.class);
  private static final String EXECUTOR = Type.getInternalName(VirtualExecutor.class);
  private static final String TIMER_TYPE =
      "(Ljava/util/concurrent/ThreadFactory;)Ljava/util/concurrent/ScheduledExecutorService;";
  private static final String TIMER = "newSingleThreadScheduledExecutor" + TIMER_TYPE;
  private static final int NO_SYNC = ~Opcodes.ACC_SYNCHRONIZED;

  static {
    registerAsParallelCapable();
  }

  private final Rule without;
  private final List<Edit> planted = new CopyOnWriteArrayList<>();

  /** Creates a loader with a separate copy of the engine's classes. */
  public Instrumented(Rule without) {
    super(Instrumented.class.getClassLoader());
    this.without = without;
  }

  /** Returns whether all edits that remove the rule were applied. */
  public boolean planted() {
    return planted.containsAll(without.edits());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(PACKAGE)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
      new ClassReader(in.readAllBytes())
          .accept(new ClassRemapper(new Monitors(writer), new Types()), 0);
      byte[] bytes = writer.toByteArray();
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static final class Types extends Remapper {
    @Override
    public String map(String name) {
      return switch (name) {
        case "java/util/concurrent/CountDownLatch" -> Type.getInternalName(VirtualLatch.class);
        case "java/util/concurrent/locks/StampedLock" ->
            Type.getInternalName(VirtualStampedLock.class);
        default -> name;
      };
    }
  }

  /** Replaces a synchronized method by one that enters the monitor around the original. */
  private final class Monitors extends ClassVisitor {
    private String owner;

    Monitors(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visit(
        int version, int access, String name, String sign, String above, String[] interfaces) {
      owner = name;
      super.visit(version, access, name, sign, above, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String sign, String[] thrown) {
      if ((access & Opcodes.ACC_SYNCHRONIZED) == 0) {
        return changed(
            super.visitMethod(access, name, descriptor, sign, thrown), access, name, descriptor);
      }
      if ((access & Opcodes.ACC_STATIC) != 0) {
        throw new IllegalStateException(owner + "." + name + ": static and synchronized");
      }
      wrap(super.visitMethod(access & NO_SYNC, name, descriptor, sign, thrown), name, descriptor);
      return changed(
          super.visitMethod(Opcodes.ACC_PRIVATE, name + "$held", descriptor, sign, thrown),
          access,
          name,
          descriptor);
    }

    private MethodVisitor changed(
        MethodVisitor method, int access, String name, String descriptor) {
      List<Edit> edits = without.edits().stream().filter(edit -> edit.in(owner, name)).toList();
      MethodVisitor calls = new Calls(method);
      return edits.isEmpty() ? calls : new Planted(calls, edits, planted, access, descriptor);
    }

    private void wrap(MethodVisitor to, String name, String descriptor) {
      Label start = new Label();
      Label end = new Label();
      Label handler = new Label();
      to.visitCode();
      to.visitTryCatchBlock(start, end, handler, null);
      to.visitVarInsn(Opcodes.ALOAD, 0);
      call(to, "enter", "(Ljava/lang/Object;)V");
      to.visitLabel(start);
      to.visitVarInsn(Opcodes.ALOAD, 0);
      int local = 1;
      for (Type argument : Type.getArgumentTypes(descriptor)) {
        to.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
        local += argument.getSize();
      }
      to.visitMethodInsn(Opcodes.INVOKESPECIAL, owner, name + "$held", descriptor, false);
      to.visitLabel(end);
      to.visitVarInsn(Opcodes.ALOAD, 0);
      call(to, "exit", "(Ljava/lang/Object;)V");
      to.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
      to.visitLabel(handler);
      to.visitFrame(Opcodes.F_NEW, locals(descriptor), frame(descriptor), 1, THROWABLE);
      to.visitVarInsn(Opcodes.ALOAD, 0);
      call(to, "exit", "(Ljava/lang/Object;)V");
      to.visitInsn(Opcodes.ATHROW);
      to.visitMaxs(0, 0);
      to.visitEnd();
    }

    private static final Object[] THROWABLE = {"java/lang/Throwable"};

    private static int locals(String descriptor) {
      return Type.getArgumentTypes(descriptor).length + 1;
    }

    private Object[] frame(String descriptor) {
      Type[] arguments = Type.getArgumentTypes(descriptor);
      Object[] types = new Object[arguments.length + 1];
      types[0] = owner;
      for (int i = 0; i < arguments.length; i++) {
        types[i + 1] =
            switch (arguments[i].getSort()) {
              case Type.LONG -> Opcodes.LONG;
              case Type.DOUBLE -> Opcodes.DOUBLE;
              case Type.FLOAT -> Opcodes.FLOAT;
              case Type.OBJECT, Type.ARRAY -> arguments[i].getInternalName();
              default -> Opcodes.INTEGER;
            };
      }
      return types;
    }
  }

  private static void call(MethodVisitor to, String name, String descriptor) {
    to.visitMethodInsn(Opcodes.INVOKESTATIC, SCHEDULER, name, descriptor, false);
  }

  private static final class Calls extends MethodVisitor {
    // Handlers that would treat the end of a killed process as a failure of its work.
    private final Set<Label> errorHandlers = new HashSet<>();
    private boolean atErrorHandler;

    Calls(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
      if ("java/lang/Error".equals(type) || "java/lang/Throwable".equals(type)) {
        errorHandlers.add(handler);
      }
      super.visitTryCatchBlock(start, end, handler, type);
    }

    @Override
    public void visitLabel(Label label) {
      super.visitLabel(label);
      atErrorHandler |= errorHandlers.contains(label);
    }

    // Each handler begins with a frame.
    @Override
    public void visitFrame(int type, int locals, Object[] local, int stack, Object[] stacked) {
      super.visitFrame(type, locals, local, stack, stacked);
      if (atErrorHandler) {
        atErrorHandler = false;
        mv.visitInsn(Opcodes.DUP);
        call(mv, "passKilled", "(Ljava/lang/Throwable;)V");
      }
    }

    @Override
    public void visitInsn(int opcode) {
      switch (opcode) {
        case Opcodes.MONITORENTER -> call(mv, "enter", "(Ljava/lang/Object;)V");
        case Opcodes.MONITOREXIT -> call(mv, "exit", "(Ljava/lang/Object;)V");
        default -> super.visitInsn(opcode);
      }
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      switch (name + descriptor) {
        case "wait()V" -> call(mv, "await", "(Ljava/lang/Object;)V");
        case "wait(J)V" -> call(mv, "await", "(Ljava/lang/Object;J)V");
        case "notifyAll()V", "notify()V" -> call(mv, "wakeAll", "(Ljava/lang/Object;)V");
        case "nanoTime()J" -> nanoTime(opcode, owner, name, descriptor, isInterface);
        case "now()Ljava/time/Instant;" -> call(mv, "instant", descriptor);
        case "randomUUID()Ljava/util/UUID;" -> call(mv, "randomUuid", descriptor);
        case TIMER -> mv.visitMethodInsn(opcode, EXECUTOR, "timer", TIMER_TYPE, false);
        // The scheduler does not control the threads of the pool, so the stream stays sequential.
        case "parallel()Ljava/util/stream/IntStream;" -> {}
        // Background work pauses in real time, which the simulation does not use.
        case "parkNanos(J)V" -> mv.visitInsn(Opcodes.POP2);
        case "getId()J" -> call(mv, "threadId", "(Ljava/lang/Thread;)J");
        default -> super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      }
    }

    private void nanoTime(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (owner.equals("java/lang/System")) {
        call(mv, "nanoTime", descriptor);
      } else {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      }
    }
  }
}
