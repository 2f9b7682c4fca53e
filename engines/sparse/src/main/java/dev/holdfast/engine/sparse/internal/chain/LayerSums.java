package dev.holdfast.engine.sparse.internal.chain;

/** Format of the checksums of a layer's regions. */
public final class LayerSums {
  /** Bytes of a layer that one checksum covers. */
  public static final long REGION = 16L << 20;

  /** Bytes of one checksum. */
  public static final int LENGTH = 32;

  private LayerSums() {}

  /** Returns how many regions a layer has. */
  public static int count(long size) {
    return Math.toIntExact((size + REGION - 1) / REGION);
  }
}
