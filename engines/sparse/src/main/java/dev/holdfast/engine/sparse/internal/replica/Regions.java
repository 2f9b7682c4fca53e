package dev.holdfast.engine.sparse.internal.replica;

import java.util.BitSet;

/** The 16 MiB regions of a volume, the unit of intents and missed writes. */
public final class Regions {
  public static final int SHIFT = 24;

  private Regions() {}

  public static int count(long volumeSize) {
    return Math.toIntExact((volumeSize + (1L << SHIFT) - 1) >> SHIFT);
  }

  /** Returns all regions of a volume. */
  public static BitSet all(long volumeSize) {
    BitSet all = new BitSet();
    all.set(0, count(volumeSize));
    return all;
  }

  public static int of(long offset) {
    return (int) (offset >> SHIFT);
  }
}
