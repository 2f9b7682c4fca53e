package dev.holdfast.engine.lvm.blobs.internal.lvm;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;

/**
 * Growth of thin pools. A pool that is filled to the threshold gets a fifth of its size, at least 1
 * GiB for data and 4 MiB for metadata. It never gets more than its volumes can need or the group
 * has free. Each command names the new size, so that a repetition changes nothing. Stateless.
 */
public final class PoolGrowth {
  /** Part of a pool, in percent, at which it has to grow. Beyond it LVM creates no volume in it. */
  static final int THRESHOLD = 80;

  private static final long LEAST_DATA = 1L << 30;
  private static final long LEAST_METADATA = 4L << 20;

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
    boolean room = true;
    if (isFilled(pool.metadataUsedBytes(), pool.metadataBytes())) {
      room = growMetadata(pool);
    }
    if (isFilled(pool.usedBytes(), pool.sizeBytes())) {
      room &= growData(volumes, pool, comingBytes);
    }
    return room;
  }

  /** Returns whether a part of a pool is filled to the threshold. */
  public static boolean isFilled(long used, long size) {
    return used > 0 && used >= size / PERCENT * THRESHOLD;
  }

  private boolean growMetadata(LogicalVolume pool) throws StorageException {
    long wanted =
        Math.min(
            MOST_METADATA,
            pool.metadataBytes() + Math.max(LEAST_METADATA, pool.metadataBytes() / PARTS));
    GroupReport group = lvm.report();
    long size = fitting(group, pool.metadataBytes(), wanted);
    if (size <= pool.metadataBytes()) {
      return false;
    }
    return extended(() -> lvm.extendMetadata(pool.name(), size));
  }

  private boolean growData(Map<String, LogicalVolume> volumes, LogicalVolume pool, long comingBytes)
      throws StorageException {
    long need = comingBytes;
    for (LogicalVolume volume : volumes.values()) {
      need += volume.pool().equals(pool.name()) ? volume.sizeBytes() : 0;
    }
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
