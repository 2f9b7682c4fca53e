package dev.holdfast.engine.sparse.internal;

/** The 16 MiB regions of a volume, in which intents and missed writes are counted. */
final class Regions {
  static final int SHIFT = 24;

  private Regions() {}

  static int count(long volumeSize) {
    return Math.toIntExact((volumeSize + (1L << SHIFT) - 1) >> SHIFT);
  }

  static int of(long offset) {
    return (int) (offset >> SHIFT);
  }
}
