package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Creates directories whose layers fail single reads and writes. */
public final class FileFaults {
  /** Called before each read and write of a layer; an exception fails that access. */
  @FunctionalInterface
  public interface Fault {
    void before(Path directory, boolean write, long position, int length) throws IOException;
  }

  private FileFaults() {}

  /** Returns a directory whose layers call the fault before each access. */
  public static ReplicaDirectory around(Path path, ReplicaDirectory directory, Fault fault) {
    return proxy(
        ReplicaDirectory.class,
        directory,
        (method, arguments, result) -> {
          boolean layer = result instanceof ReplicaFile && ((String) arguments[0]).endsWith(".img");
          return layer ? file(path, (ReplicaFile) result, fault) : result;
        },
        (method, arguments) -> {});
  }

  private static ReplicaFile file(Path path, ReplicaFile file, Fault fault) {
    return proxy(
        ReplicaFile.class,
        file,
        (method, arguments, result) -> result,
        (method, arguments) -> {
          boolean write = method.equals("write");
          if (write || method.equals("read") || method.equals("readNow")) {
            ByteBuffer buffer = (ByteBuffer) arguments[0];
            fault.before(path, write, (long) arguments[1], buffer.remaining());
          }
        });
  }

  /** Called before each call. */
  @FunctionalInterface
  private interface Before {
    void call(String method, Object[] arguments) throws IOException;
  }

  /** Replaces the result of a call. */
  @FunctionalInterface
  private interface After {
    Object of(String method, Object[] arguments, Object result);
  }

  private static <T> T proxy(Class<T> type, T real, After after, Before before) {
    return type.cast(
        Proxy.newProxyInstance(
            FileFaults.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              before.call(method.getName(), arguments);
              try {
                return after.of(method.getName(), arguments, method.invoke(real, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
