package dev.holdfast.engine.lvm.blobs.internal.lvm;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;

/**
 * Growth of thin pools. A pool that is filled to the threshold gets a fifth of its size, at least 1
 * GiB for data and 4 MiB for metadata. It never gets more than its volumes can need or the group
 * has free. Each command names the new size, so that a repetition changes nothing. Stateless.
 *
 * <p>The kernel lets writers wait while the data of a pool is full, and fails them while its
 * metadata is full. So metadata has room for all that the volumes can ever need before a volume is
 * created or grows: a pool runs out of data only.
 */
public final class PoolGrowth {
  /** Part of a pool, in percent, at which it has to grow. Beyond it LVM creates no volume in it. */
  static final int THRESHOLD = 80;

  private static final long LEAST_DATA = 1L << 30;
  private static final long LEAST_METADATA = 4L << 20;

  /**
   * Bytes of volumes for a byte of metadata. Each block of 64 KiB of a volume needs at most 64 B: a
   * mapping of 16 B and a counter of as much, in trees whose nodes are half full. The kernel keeps
   * a tenth of the metadata in reserve.
   */
  private static final long MAPPED_BY_METADATA = 900;

  private static final long FIXED_METADATA = 2L << 20;

  /** The kernel uses no more. */
  private static final long MOST_METADATA = 15L << 30;

  private static final int PERCENT = 100;
  private static final int PARTS = 5;

  private final LvmGroup lvm;

  /** Grows the pools of a group. */
  public PoolGrowth(LvmGroup lvm) {
    this.lvm = lvm;
  }

  /**
   * Grows a pool when it is filled to the threshold. A pool whose use is not known, because it is
   * not active, stays as it is.
   *
   * @param volumes of the group
   * @param pool the pool
   * @param comingBytes size of a volume that will be created in it, 0 for none
   * @return whether it has room, perhaps after it was extended
   * @throws StorageException of a failed command, a full group excepted
   */
  public boolean relieve(Map<String, LogicalVolume> volumes, LogicalVolume pool, long comingBytes)
      throws StorageException {
    boolean room = relieveMetadata(volumes, pool, comingBytes);
    if (isFilled(pool.usedBytes(), pool.sizeBytes())) {
      room &= growData(volumes, pool, comingBytes);
    }
    return room;
  }

  /**
   * Grows the metadata of a pool when it is filled to the threshold, or may be too small for the
   * volumes.
   *
   * @param volumes of the group
   * @param pool the pool, which need not be active
   * @param comingBytes what will be added to the sizes of its volumes
   * @return whether it has room, perhaps after it was extended
   * @throws StorageException of a failed command, a full group excepted
   */
  public boolean relieveMetadata(
      Map<String, LogicalVolume> volumes, LogicalVolume pool, long comingBytes)
      throws StorageException {
    boolean filled = isFilled(pool.metadataUsedBytes(), pool.metadataBytes());
    long mapped = volumeBytes(volumes, pool) + comingBytes;
    long need = Math.min(MOST_METADATA, FIXED_METADATA + mapped / MAPPED_BY_METADATA);
    if (!filled && need <= pool.metadataBytes()) {
      return true;
    }
    long step = filled ? Math.max(LEAST_METADATA, pool.metadataBytes() / PARTS) : 0;
    long size = grownMetadata(pool, Math.max(need, pool.metadataBytes() + step));
    return size >= need && size > pool.metadataBytes();
  }

  private static long volumeBytes(Map<String, LogicalVolume> volumes, LogicalVolume pool) {
    return volumes.values().stream()
        .filter(volume -> volume.pool().equals(pool.name()))
        .mapToLong(LogicalVolume::sizeBytes)
        .sum();
  }

  /** Returns whether a part of a pool is filled to the threshold. */
  public static boolean isFilled(long used, long size) {
    return used > 0 && used >= size / PERCENT * THRESHOLD;
  }

  /** Extends the metadata as far as the group allows; returns the size that it has then. */
  private long grownMetadata(LogicalVolume pool, long wanted) throws StorageException {
    GroupReport group = lvm.report();
    long size = fitting(group, pool.metadataBytes(), Math.min(MOST_METADATA, wanted));
    boolean extended =
        size > pool.metadataBytes() && extended(() -> lvm.extendMetadata(pool.name(), size));
    return extended ? size : pool.metadataBytes();
  }

  private boolean growData(Map<String, LogicalVolume> volumes, LogicalVolume pool, long comingBytes)
      throws StorageException {
    long need = comingBytes + volumeBytes(volumes, pool);
    if (pool.sizeBytes() >= need) {
      return true;
    }
    long step = Math.max(LEAST_DATA, pool.sizeBytes() / PARTS);
    GroupReport group = lvm.report();
    long size = fitting(group, pool.sizeBytes(), Math.min(need, pool.sizeBytes() + step));
    if (size <= pool.sizeBytes()) {
      return false;
    }
    return extended(() -> lvm.extend(pool.name(), size));
  }

  private static long fitting(GroupReport group, long present, long wanted) {
    long extent = group.extentBytes();
    long roundedUp = (wanted + extent - 1) / extent * extent;
    return Math.min(roundedUp, present + group.freeBytes() / extent * extent);
  }

  private interface Extension {
    void run() throws StorageException;
  }

  private static boolean extended(Extension extension) throws StorageException {
    try {
      extension.run();
      return true;
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NO_SPACE) {
        return false; // free extents that LVM cannot use for it
      }
      throw e;
    }
  }
}
