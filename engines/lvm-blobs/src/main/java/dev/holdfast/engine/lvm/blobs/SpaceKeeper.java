package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.engine.lvm.blobs.internal.lvm.PoolGrowth;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Looks after the space of a group's pools. Takes no lock of ours, because a call that waits for a
 * full pool holds one until the pool is extended.
 */
final class SpaceKeeper {
  private final Host host;
  private final Map<String, List<PoolSpace>> seen = new ConcurrentHashMap<>();

  SpaceKeeper(Host host) {
    this.host = host;
  }

  /** Extends the pools of a group, and returns what they used before. */
  List<PoolSpace> keep(String group) throws StorageException {
    LvmGroup lvm = new LvmGroup(host, group);
    PoolGrowth growth = new PoolGrowth(lvm);
    Map<String, LogicalVolume> volumes = lvm.volumes();
    List<PoolSpace> found = new ArrayList<>();
    StorageException failure = null;
    for (LogicalVolume pool : volumes.values()) {
      if (pool.isPool() && BlobNames.isPool(pool.name()) && isInUse(volumes, pool)) {
        try {
          found.add(space(group, volumes, pool, !growth.relieve(volumes, pool, 0)));
        } catch (StorageException e) {
          failure = LocalBlobManager.first(failure, e);
        }
      }
    }
    seen.put(group, List.copyOf(found));
    if (failure != null) {
      throw failure;
    }
    return found;
  }

  /** LVM does not call a pool active that has a device only because its volumes have some. */
  private static boolean isInUse(Map<String, LogicalVolume> volumes, LogicalVolume pool) {
    return pool.active()
        || volumes.values().stream()
            .anyMatch(volume -> volume.pool().equals(pool.name()) && volume.active());
  }

  private static PoolSpace space(
      String group, Map<String, LogicalVolume> volumes, LogicalVolume pool, boolean shortage) {
    Set<Blob> blobs =
        volumes.values().stream()
            .filter(volume -> volume.pool().equals(pool.name()))
            .filter(volume -> volume.tags().contains(BlobNames.TAG))
            .map(volume -> new Blob(group, BlobNames.blob(volume.name())))
            .collect(Collectors.toUnmodifiableSet());
    return new PoolSpace(
        group,
        pool.name(),
        blobs,
        pool.sizeBytes(),
        pool.usedBytes(),
        shortage,
        health(pool, shortage));
  }

  /** The report is older than the extension: a pool that was full has room now. */
  private static PoolSpace.Health health(LogicalVolume pool, boolean shortage) {
    return switch (pool.health()) {
      case "out_of_data" -> shortage ? PoolSpace.Health.FULL : PoolSpace.Health.GOOD;
      case "metadata_read_only", "failed" -> PoolSpace.Health.DAMAGED;
      default -> PoolSpace.Health.GOOD;
    };
  }

  /** Returns the pools of a group that do not serve all writes, as they were last seen. */
  List<PoolWait> waits(String group) {
    return seen.getOrDefault(group, List.of()).stream()
        .filter(space -> space.health() != PoolSpace.Health.GOOD)
        .map(SpaceKeeper::waiting)
        .toList();
  }

  private static PoolWait waiting(PoolSpace space) {
    PoolWait.Cause cause =
        space.health() == PoolSpace.Health.FULL ? PoolWait.Cause.FULL : PoolWait.Cause.DAMAGED;
    Set<String> names = space.blobs().stream().map(Blob::name).collect(Collectors.toSet());
    return new PoolWait(
        space.group(), space.pool(), names, cause, message(cause, space.group(), space.pool()));
  }

  /** Returns what is said of a pool that is full or damaged, on whichever node it is active. */
  static String message(PoolWait.Cause cause, String group, String pool) {
    String name = "pool " + group + "/" + pool;
    return cause == PoolWait.Cause.FULL
        ? name
            + " is full, and volume group "
            + group
            + " has no room to extend it: writes wait until there is room: add a disk: vgextend "
            + group
            + " DISK"
        : name
            + " needs a repair, and writes to new blocks fail: detach all its volumes, then run"
            + " lvconvert --repair "
            + group
            + "/"
            + pool;
  }
}
