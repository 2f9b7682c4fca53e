package dev.holdfast.engine.lvm.blobs;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Use of the active pools of a host's groups, as it was last seen. Thread-safe. */
final class PoolSpaces {
  private final Map<String, List<PoolSpace>> seen = new ConcurrentHashMap<>();

  List<PoolSpace> seen(String group, List<PoolSpace> spaces) {
    seen.put(group, List.copyOf(spaces));
    return spaces;
  }

  List<PoolSpace> of(String group) {
    return seen.getOrDefault(group, List.of());
  }

  /** Returns the pools of a group that do not serve all writes. */
  List<PoolWait> waits(String group) {
    return of(group).stream()
        .filter(space -> space.health() != PoolHealth.GOOD)
        .map(PoolSpaces::waiting)
        .toList();
  }

  private static PoolWait waiting(PoolSpace space) {
    PoolWait.Cause cause =
        space.health() == PoolHealth.FULL ? PoolWait.Cause.FULL : PoolWait.Cause.DAMAGED;
    return new PoolWait(
        space.group(),
        space.pool(),
        space.blobs(),
        cause,
        message(cause, space.group(), space.pool()));
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
