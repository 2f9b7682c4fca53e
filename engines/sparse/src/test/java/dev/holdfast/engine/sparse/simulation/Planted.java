package dev.holdfast.engine.sparse.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Applies {@link Edit}s to a method. */
final class Planted extends MethodVisitor {
  private static final String HOOKS = Type.getInternalName(Hooks.class);
  private static final String ENGINE = "dev/holdfast/engine/sparse/internal/";

  private final List<Edit> edits;
  private final List<Edit> planted;
  private final boolean ofObject;
  private final Type method;
  private final Map<Edit, Integer> seen = new HashMap<>();

  /**
   * Creates the visitor of one method.
   *
   * @param edits of this method
   * @param planted receives the edits that were applied
   */
  Planted(MethodVisitor next, List<Edit> edits, List<Edit> planted, int access, String descriptor) {
    super(Opcodes.ASM9, next);
    this.edits = edits;
    this.planted = planted;
    this.ofObject = (access & Opcodes.ACC_STATIC) == 0;
    this.method = Type.getMethodType(descriptor);
  }

  @Override
  public void visitCode() {
    super.visitCode();
    for (Edit edit : edits) {
      switch (edit.what()) {
        case BODY -> {
          planted.add(edit);
          constant(method.getReturnType(), edit.result());
          super.visitInsn(method.getReturnType().getOpcode(Opcodes.IRETURN));
          // The following code is never reached, but the verifier requires a frame for it.
          super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
        }
        case BEGINNING -> begin(edit);
        case CALL, REDIRECTION -> {}
      }
    }
  }

  // The hook gets the first long or boolean argument and, if a boolean follows it, also that.
  private void begin(Edit edit) {
    planted.add(edit);
    int local = ofObject ? 1 : 0;
    int changed = -1;
    Type kind = Type.VOID_TYPE;
    StringBuilder arguments = new StringBuilder();
    for (Type argument : method.getArgumentTypes()) {
      boolean first = changed < 0 && argument.getSort() == Type.LONG;
      if (first || argument.getSort() == Type.BOOLEAN) {
        super.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
        arguments.append(argument.getDescriptor());
        kind = changed < 0 ? argument : kind;
        changed = changed < 0 ? local : changed;
      }
      local += argument.getSize();
    }
    super.visitMethodInsn(
        Opcodes.INVOKESTATIC, HOOKS, edit.call(), "(" + arguments + ")" + kind, false);
    super.visitVarInsn(kind.getOpcode(Opcodes.ISTORE), changed);
  }

  @Override
  public void visitMethodInsn(
      int opcode, String owner, String name, String descriptor, boolean isInterface) {
    for (Edit edit : edits) {
      boolean ofCalls = edit.what() == Edit.What.CALL || edit.what() == Edit.What.REDIRECTION;
      if (ofCalls && edit.call().equals(name)) {
        int count = seen.merge(edit, 1, Integer::sum);
        if (edit.nth() == 0 || edit.nth() == count) {
          planted.add(edit);
          replace(edit, opcode, owner, name, descriptor);
          return;
        }
      }
    }
    super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
  }

  private void replace(Edit edit, int opcode, String owner, String name, String descriptor) {
    Type type = Type.getMethodType(descriptor);
    if (edit.what() == Edit.What.REDIRECTION) {
      String receiver = opcode == Opcodes.INVOKESTATIC ? "" : "L" + owner + ";";
      String general =
          ("(" + receiver + descriptor.substring(1))
              .replaceAll("L" + ENGINE + "[^;]*;", "Ljava/lang/Object;");
      super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, name, general, false);
      if (type.getReturnType().getSort() == Type.OBJECT) {
        super.visitTypeInsn(Opcodes.CHECKCAST, type.getReturnType().getInternalName());
      }
      return;
    }
    Type[] arguments = type.getArgumentTypes();
    for (int i = arguments.length - 1; i >= 0; i--) {
      super.visitInsn(arguments[i].getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
    }
    if (opcode != Opcodes.INVOKESTATIC) {
      super.visitInsn(Opcodes.POP);
    }
    constant(type.getReturnType(), edit.result());
  }

  private void constant(Type type, int value) {
    switch (type.getSort()) {
      case Type.VOID -> {}
      case Type.LONG -> super.visitInsn(value == 0 ? Opcodes.LCONST_0 : Opcodes.LCONST_1);
      case Type.OBJECT, Type.ARRAY -> super.visitInsn(Opcodes.ACONST_NULL);
      default -> super.visitInsn(value == 0 ? Opcodes.ICONST_0 : Opcodes.ICONST_1);
    }
  }
}
