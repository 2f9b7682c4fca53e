package dev.holdfast.engine.spdk.simulator.internal.raid;

/** A stock rebuild in progress. One thread advances it. */
final class StockRebuild {
  private final Leg target;
  private final int windowBytes;
  private volatile long copied;

  StockRebuild(Leg target, int windowBytes) {
    this.target = target;
    this.windowBytes = windowBytes;
  }

  Leg target() {
    return target;
  }

  int windowBytes() {
    return windowBytes;
  }

  long copied() {
    return copied;
  }

  /** Called by the one thread that copies. */
  void advance(int bytes) {
    long next = copied + bytes;
    copied = next;
  }
}
