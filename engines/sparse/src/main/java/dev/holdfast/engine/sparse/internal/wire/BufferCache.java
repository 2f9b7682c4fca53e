package dev.holdfast.engine.sparse.internal.wire;

import java.lang.ref.Cleaner;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Large objects that many connections need only while bytes are in transit: they are borrowed for
 * that time, and kept for the next use. There is a limited number of them. Beyond it a connection
 * gets a small one, with which it is slower, so that the memory of all stays bounded. Thread-safe.
 */
final class BufferCache<T> {
  private static final Cleaner CLEANER = Cleaner.create();

  /**
   * Kind of the lent objects.
   *
   * @param large makes a large one
   * @param small makes one that takes hardly any memory
   * @param isLarge selects the large buffers
   * @param clearing makes one that was given back as good as new
   */
  record Kind<T>(
      Supplier<T> large, Supplier<T> small, Predicate<T> isLarge, Consumer<T> clearing) {}

  private final int most;
  private final Kind<T> kind;
  // Large ones whose memory is in use: one that is not given back counts until it is collected.
  private final AtomicInteger made = new AtomicInteger();

  // Guarded by this.
  private final ArrayDeque<T> kept;

  /**
   * Starts with none.
   *
   * @param most large ones are there at a time
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
        // A small one may still find room.
      }
    }
    made.decrementAndGet();
    return kind.small().get();
  }

  // Static, because what the cleaner holds must not reach the kept ones.
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
