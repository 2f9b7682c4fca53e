package dev.holdfast.engine.sparse.internal.wire;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Large things that many connections need, but each only while bytes are on the way: they are taken
 * for that long, and some are kept for the next. Thread-safe.
 */
final class Spares<T> {
  private final int most;
  private final Supplier<T> maker;
  private final Consumer<T> clearing;

  // Guarded by this.
  private final ArrayDeque<T> kept;

  /**
   * Starts with none.
   *
   * @param most are kept
   * @param maker makes one when none is kept
   * @param clearing makes one that was given back as good as new
   */
  Spares(int most, Supplier<T> maker, Consumer<T> clearing) {
    this.most = most;
    this.maker = maker;
    this.clearing = clearing;
    this.kept = new ArrayDeque<>(most);
  }

  T take() {
    synchronized (this) {
      T one = kept.pollFirst();
      if (one != null) {
        return one;
      }
    }
    return maker.get();
  }

  void give(T one) {
    clearing.accept(one);
    synchronized (this) {
      if (kept.size() < most) {
        kept.addFirst(one);
      }
    }
  }
}
