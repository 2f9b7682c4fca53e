package dev.holdfast.engine.sparse.internal.replica;

/** The 16 MiB regions of a volume, in which intents and missed writes are counted. */
public final class Regions {
  public static final int SHIFT = 24;

  private Regions() {}

  public static int count(long volumeSize) {
    return Math.toIntExact((volumeSize + (1L << SHIFT) - 1) >> SHIFT);
  }

  public static int of(long offset) {
    return (int) (offset >> SHIFT);
  }
}
