package dev.holdfast.csi.internal.server;

import dev.holdfast.csi.v1.Csi;
import io.grpc.StatusException;

/** Sizes of volumes as the orchestrator requests them. Stateless. */
public final class CapacityRange {
  private static final long BLOCK = 4096;
  private static final long SMALLEST = 1L << 20;
  private static final long DEFAULT = 1L << 30;

  /** Smallest size that {@code mkfs.xfs} accepts. */
  private static final long SMALLEST_XFS = 300L << 20;

  /** Space that cryptsetup keeps at the start of a device for LUKS2. */
  private static final long ENCRYPTION_HEADER = 16L << 20;

  private CapacityRange() {}

  /**
   * Returns the size that a new volume has for content.
   *
   * @throws StatusException OUT_OF_RANGE when no space is left
   */
  public static long forContent(long size, boolean encrypted) throws StatusException {
    if (!encrypted) {
      return size;
    }
    if (size < ENCRYPTION_HEADER + SMALLEST) {
      throw CsiStatus.outOfRange(
          "capacity_range.required_bytes: an encrypted volume needs at least "
              + (ENCRYPTION_HEADER + SMALLEST)
              + " bytes, "
              + ENCRYPTION_HEADER
              + " of them for its header");
    }
    return size - ENCRYPTION_HEADER;
  }

  /**
   * Returns the size for a new volume.
   *
   * @param present whether a range was given
   * @param least required minimum: the size of its source, otherwise 0
   * @throws StatusException INVALID_ARGUMENT; OUT_OF_RANGE when no size is in the range
   */
  public static long wanted(boolean present, Csi.CapacityRange range, long least)
      throws StatusException {
    check(range);
    long required = range.getRequiredBytes();
    long base = present && required > 0 ? required : least > 0 ? least : DEFAULT;
    if (least > 0 && required > 0 && required < least) {
      throw CsiStatus.outOfRange(
          "capacity_range.required_bytes: is "
              + required
              + ", what is copied has "
              + least
              + " bytes");
    }
    long size = rounded(Math.max(base, SMALLEST));
    if (range.getLimitBytes() > 0 && size > range.getLimitBytes()) {
      throw CsiStatus.outOfRange(
          "capacity_range.limit_bytes: is "
              + range.getLimitBytes()
              + ", the volume needs "
              + size
              + " bytes: a multiple of "
              + BLOCK
              + ", at least "
              + Math.max(least, SMALLEST));
    }
    return size;
  }

  private static void check(Csi.CapacityRange range) throws StatusException {
    if (range.getRequiredBytes() < 0) {
      throw CsiStatus.invalid("capacity_range.required_bytes", "must not be negative");
    }
    if (range.getLimitBytes() < 0) {
      throw CsiStatus.invalid("capacity_range.limit_bytes", "must not be negative");
    }
    if (range.getLimitBytes() > 0 && range.getLimitBytes() < range.getRequiredBytes()) {
      throw CsiStatus.invalid(
          "capacity_range.limit_bytes", "must not be less than capacity_range.required_bytes");
    }
  }

  /** Returns whether a volume of this size is inside of a range. */
  public static boolean fits(long size, Csi.CapacityRange range) throws StatusException {
    check(range);
    return size >= range.getRequiredBytes()
        && (range.getLimitBytes() == 0 || size <= range.getLimitBytes());
  }

  /** Checks that a filesystem fits in a number of bytes. */
  public static void requireRoomFor(String filesystem, long size) throws StatusException {
    if (filesystem.equals("xfs") && size < SMALLEST_XFS) {
      throw CsiStatus.outOfRange(
          "capacity_range.required_bytes: xfs needs at least " + SMALLEST_XFS + " bytes");
    }
  }

  private static long rounded(long bytes) throws StatusException {
    if (bytes > Long.MAX_VALUE - BLOCK) {
      throw CsiStatus.outOfRange("capacity_range.required_bytes: is more than 8 EiB");
    }
    return (bytes + BLOCK - 1) / BLOCK * BLOCK;
  }
}
