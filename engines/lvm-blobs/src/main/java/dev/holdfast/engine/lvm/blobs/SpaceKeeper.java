package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.engine.lvm.blobs.internal.lvm.PoolGrowth;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Looks after the space of a group's pools. Takes no lock of ours, because a call that waits for a
 * full pool holds one until the pool is extended.
 */
final class SpaceKeeper {
  private final LvmGroup lvm;
  private final PoolGrowth growth;

  SpaceKeeper(LvmGroup lvm) {
    this.lvm = lvm;
    this.growth = new PoolGrowth(lvm);
  }

  List<PoolSpace> keep() throws StorageException {
    Map<String, LogicalVolume> volumes = lvm.volumes();
    List<PoolSpace> found = new ArrayList<>();
    StorageException failure = null;
    for (LogicalVolume pool : volumes.values()) {
      if (pool.isPool() && pool.active() && BlobNames.isPool(pool.name())) {
        try {
          found.add(space(volumes, pool, !growth.relieve(volumes, pool, 0)));
        } catch (StorageException e) {
          failure = LocalBlobManager.first(failure, e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return found;
  }

  private PoolSpace space(
      Map<String, LogicalVolume> volumes, LogicalVolume pool, boolean shortage) {
    Set<Blob> blobs =
        volumes.values().stream()
            .filter(volume -> volume.pool().equals(pool.name()))
            .filter(volume -> volume.tags().contains(BlobNames.TAG))
            .map(volume -> new Blob(lvm.name(), BlobNames.blob(volume.name())))
            .collect(Collectors.toUnmodifiableSet());
    return new PoolSpace(
        lvm.name(),
        pool.name(),
        blobs,
        pool.sizeBytes(),
        pool.usedBytes(),
        shortage,
        health(pool, shortage));
  }

  /** The report is older than the extension: a pool that was full has room now. */
  private static PoolHealth health(LogicalVolume pool, boolean shortage) {
    return switch (pool.health()) {
      case "" -> PoolHealth.GOOD;
      case "out_of_data" -> shortage ? PoolHealth.FULL : PoolHealth.GOOD;
      default -> PoolHealth.DAMAGED;
    };
  }
}
