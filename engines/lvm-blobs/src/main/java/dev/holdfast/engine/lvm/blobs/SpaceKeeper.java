package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupView;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.engine.lvm.blobs.internal.lvm.PoolGrowth;
import dev.holdfast.engine.lvm.blobs.internal.lvm.RequestCounters;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Looks after the space of a group's pools. Takes no lock of ours, because a call that waits for a
 * full pool holds one until the pool is extended.
 */
final class SpaceKeeper {
  private final GroupReports reports;
  private final Map<String, List<PoolSpace>> seen = new ConcurrentHashMap<>();
  private final Map<String, Map<String, String>> counted = new ConcurrentHashMap<>();

  SpaceKeeper(GroupReports reports) {
    this.reports = reports;
  }

  /**
   * Looks at a group, unless no request was made to its volumes since the last look, so that their
   * pools are as full as they were. A group that lacks room is looked at each time.
   *
   * @return its report; empty when it is as it was
   */
  Optional<GroupView> look(String group) throws StorageException {
    Optional<GroupView> earlier = reports.earlier(group);
    Optional<Map<String, String>> counters =
        earlier.isPresent()
            ? RequestCounters.read(reports.host().files(), earlier.get())
            : Optional.empty();
    boolean room = waits(group).isEmpty() && spaces(group).stream().noneMatch(PoolSpace::shortage);
    if (room
        && reports.isKnown(group)
        && counters.isPresent()
        && counters.get().equals(counted.get(group))) {
      return Optional.empty();
    }
    GroupView view = reports.fresh(group);
    counted.remove(group);
    // The volumes of the earlier report may not be all that are active now.
    if (counters.isPresent() && counters.get().keySet().equals(numbers(view))) {
      counted.put(group, counters.get());
    }
    return Optional.of(view);
  }

  private static Set<String> numbers(GroupView view) {
    return view.volumes().values().stream()
        .filter(LogicalVolume::active)
        .map(LogicalVolume::number)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns the use of the pools of a group, as it was last seen. */
  List<PoolSpace> spaces(String group) {
    return seen.getOrDefault(group, List.of());
  }

  /**
   * Extends the pools of a group, and returns what they used before.
   *
   * @param view fresh report of the group
   */
  List<PoolSpace> keep(GroupView view) throws StorageException {
    String group = view.group().name();
    PoolGrowth growth = new PoolGrowth(reports.group(group));
    Map<String, LogicalVolume> volumes = view.volumes();
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
      counted.remove(group); // the next look tries again
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
    return spaces(group).stream()
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
