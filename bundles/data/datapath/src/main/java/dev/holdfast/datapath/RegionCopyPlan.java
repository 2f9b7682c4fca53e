package dev.holdfast.datapath;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Volume;
import java.util.Base64;
import java.util.BitSet;

/**
 * Division of the first content into regions of one size, with the regions that are known to be
 * copied durably.
 *
 * @param size bytes to copy, from offset 0
 * @param regionSize in bytes, more than 0
 * @param copied numbers of the copied regions; must not be changed
 */
public record RegionCopyPlan(long size, long regionSize, BitSet copied) {
  private static final long SMALLEST_REGION = 1L << 20;

  /** Limits the record of copied regions to 4 KiB of bits. */
  private static final long MOST_REGIONS = 1L << 15;

  /** Returns the plan that a volume has recorded. */
  public static RegionCopyPlan of(Volume.ContentProgress progress) {
    return new RegionCopyPlan(
        progress.copySize().bytes(),
        progress.regionSize().bytes(),
        copied(progress.copiedRegions()));
  }

  /** Returns the region size for content of this size. */
  public static Quantity regionSizeFor(Quantity size) {
    long region = SMALLEST_REGION;
    while (size.bytes() / region >= MOST_REGIONS) {
      region *= 2;
    }
    return new Quantity(region);
  }

  /** Returns the regions that a recorded text names. */
  public static BitSet copied(String text) {
    return BitSet.valueOf(Base64.getDecoder().decode(text));
  }

  /** Returns the text that records regions. */
  public static String text(BitSet copied) {
    return Base64.getEncoder().encodeToString(copied.toByteArray());
  }

  /** Returns the number of regions. */
  public int regions() {
    return (int) ((size + regionSize - 1) / regionSize);
  }

  /** Returns the number of the region that holds a byte. */
  public int regionOf(long offset) {
    return (int) (offset / regionSize);
  }

  /** Returns the offset of the first byte of a region. */
  public long start(int region) {
    return region * regionSize;
  }

  /** Returns the offset behind the last byte of a region. */
  public long end(int region) {
    return Math.min(size, (region + 1) * regionSize);
  }
}
