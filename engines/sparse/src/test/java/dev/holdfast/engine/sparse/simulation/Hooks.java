package dev.holdfast.engine.sparse.simulation;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Code that replaces a removed rule. Types of the engine are of type Object here. */
public final class Hooks {
  private static final Pattern HEAD = Pattern.compile("\"Head\":\"([^\"]*)\"");
  private static final long APART = 1L << 40;

  private Hooks() {}

  /** Sends a reply although the gate is paused. */
  public static void holdAnswer(Object gate, Completion completion) {
    completion.completed(null);
  }

  /** No region is marked. */
  public static BitSet all(Object intents) {
    return new BitSet();
  }

  /** Moves readers to offsets where they overlap with no other request. */
  public static long readersApart(long offset, boolean exclusive) {
    return exclusive ? offset : offset + APART;
  }

  /** Moves all requests to offsets where they overlap with no other request. */
  public static long allApart(long offset, boolean exclusive) {
    return offset + APART * (1 + Scheduler.current().nextNumber());
  }

  /** Treats the layer that is now below a head as the final one. */
  public static boolean knownBelow(boolean unknown) {
    return false;
  }

  /** Opens a replica although another engine has its lock. */
  public static boolean lock(Object directory) {
    try {
      Object unused = directory.getClass().getInterfaces()[0].getMethod("lock").invoke(directory);
      return true;
    } catch (InvocationTargetException e) {
      thrown(e.getCause());
      return false;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Rethrows an error. */
  public static StorageException defect(Object replica, Throwable cause) {
    throw (Error) cause;
  }

  /** Returns the head for any layer. */
  public static Object open(Object directory, String image) {
    try {
      Class<?> type = directory.getClass().getInterfaces()[0];
      Optional<?> meta =
          (Optional<?>) type.getMethod("load", String.class).invoke(directory, "volume.meta");
      Matcher head = HEAD.matcher(new String((byte[]) meta.orElseThrow(), StandardCharsets.UTF_8));
      if (!head.find()) {
        throw new IllegalStateException("no head");
      }
      return type.getMethod("open", String.class).invoke(directory, head.group(1));
    } catch (InvocationTargetException e) {
      return thrown(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Like the redirected call.
  private static <X extends Throwable> Object thrown(Throwable cause) throws X {
    throw (X) cause;
  }
}
