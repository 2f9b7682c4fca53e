package dev.holdfast.node.internal;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.CloneStatus;
import java.util.Base64;
import java.util.BitSet;

/**
 * How the first content of a volume is copied: in regions of one size, and which of them are known
 * to be copied durably.
 *
 * @param size how much is copied, from the beginning, in bytes
 * @param regionSize in bytes, more than 0
 * @param copied by number of the region; not to be changed
 */
record RegionCopyPlan(long size, long regionSize, BitSet copied) {
  private static final long SMALLEST_REGION = 1L << 20;

  /** So that the record of what is copied stays small: 4 KiB of bits. */
  private static final long MOST_REGIONS = 1L << 15;

  static RegionCopyPlan of(CloneStatus status) {
    return new RegionCopyPlan(
        status.copySize().bytes(), status.regionSize().bytes(), copied(status.copiedRegions()));
  }

  /** Returns the size of the regions in which that much is copied. */
  static Quantity regionSizeFor(Quantity size) {
    long region = SMALLEST_REGION;
    while (size.bytes() / region >= MOST_REGIONS) {
      region *= 2;
    }
    return new Quantity(region);
  }

  static BitSet copied(String text) {
    return BitSet.valueOf(Base64.getDecoder().decode(text));
  }

  static String text(BitSet copied) {
    return Base64.getEncoder().encodeToString(copied.toByteArray());
  }

  int regions() {
    return (int) ((size + regionSize - 1) / regionSize);
  }

  int regionOf(long offset) {
    return (int) (offset / regionSize);
  }

  long start(int region) {
    return region * regionSize;
  }

  long end(int region) {
    return Math.min(size, (region + 1) * regionSize);
  }
}
