package dev.holdfast.engine.sparse.internal.wire;

import java.lang.ref.Cleaner;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Pool of large objects that connections need only while bytes are in transit. Connections borrow
 * them for that time. Their number is limited. Beyond it a connection gets a small object and is
 * slower, so that total memory stays bounded. Thread-safe.
 */
final class BufferCache<T> {
  private static final Cleaner CLEANER = Cleaner.create();

  /**
   * Type of the pooled objects.
   *
   * @param large creates a large object
   * @param small creates an object that needs little memory
   * @param isLarge returns whether an object is large
   * @param clearing resets a returned object
   */
  record Kind<T>(
      Supplier<T> large, Supplier<T> small, Predicate<T> isLarge, Consumer<T> clearing) {}

  private final int most;
  private final Kind<T> kind;
  // Number of large objects in memory. One that is not returned counts until the garbage collector
  // removes it.
  private final AtomicInteger made = new AtomicInteger();

  // Guarded by this.
  private final ArrayDeque<T> kept;

  /**
   * Starts empty.
   *
   * @param most maximum number of large objects
   */
  BufferCache(int most, Kind<T> kind) {
    this.most = most;
    this.kind = kind;
    this.kept = new ArrayDeque<>(most);
  }

  T take() {
    synchronized (this) {
      T one = kept.pollFirst();
      if (one != null) {
        return one;
      }
    }
    if (made.incrementAndGet() <= most) {
      try {
        return counted(kind.large().get(), made);
      } catch (OutOfMemoryError e) {
        // Memory may suffice for a small object.
      }
    }
    made.decrementAndGet();
    return kind.small().get();
  }

  // Static, because the cleaner's action must not reference the pooled objects.
  private static <T> T counted(T one, AtomicInteger made) {
    CLEANER.register(one, made::decrementAndGet);
    return one;
  }

  void give(T one) {
    if (kind.isLarge().test(one)) {
      kind.clearing().accept(one);
      synchronized (this) {
        kept.addFirst(one);
      }
    }
  }
}
