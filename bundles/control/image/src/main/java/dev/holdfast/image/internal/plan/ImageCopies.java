package dev.holdfast.image.internal.plan;

import dev.holdfast.image.internal.plan.ImageWorld.PlannedDisk;
import dev.holdfast.image.internal.plan.ImageWorld.PlannedFile;
import dev.holdfast.resource.image.ImageState;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides which disks must have an image. A pure function.
 *
 * <p>A disk that needs its copy keeps it. The last good copy is never removed. A good copy is
 * removed only if at least the minimum number of good copies remains. A copy counts only if it is
 * verified and of this image. Of unneeded copies the plan keeps good ones first, then those in
 * progress, then failed ones.
 */
public final class ImageCopies {
  private static final PlannedFile NOTHING = new PlannedFile(ImageState.PENDING, true, false);

  private final ImageWorld world;
  private final Map<String, Boolean> entries;
  private final Set<String> added = new TreeSet<>();
  private final Set<String> dropped = new TreeSet<>();

  private ImageCopies(ImageWorld world) {
    this.world = world;
    this.entries = new TreeMap<>(world.entries());
  }

  /** Returns the decision for an image. */
  public static CopyPlan plan(ImageWorld world) {
    return new ImageCopies(world).run();
  }

  private CopyPlan run() {
    world.needed().stream().filter(world.disks()::containsKey).sorted().forEach(this::add);
    replenish();
    Map<String, Instant> lastRefAt = lastRefAt();
    for (String disk : inOrderOfWorth()) {
      if (isUnwanted(disk, lastRefAt) && mayDrop(disk)) {
        entries.remove(disk);
        dropped.add(disk);
        lastRefAt.remove(disk);
      }
    }
    Set<String> cleanup = new HashSet<>(world.cleanup());
    cleanup.removeIf(disk -> !entries.containsKey(disk) || world.needed().contains(disk));
    return new CopyPlan(entries, added, dropped, lastRefAt, cleanup);
  }

  private void add(String disk) {
    if (entries.putIfAbsent(disk, false) == null) {
      added.add(disk);
    }
  }

  /** Adds disks until enough copies are good or in progress. Prefers nodes without a copy. */
  private void replenish() {
    long have =
        entries.keySet().stream()
            .filter(disk -> stays(disk) && (isGood(disk) || file(disk).isUnderWay()))
            .count();
    Map<String, Long> copiesOfNode = new HashMap<>();
    entries.keySet().forEach(disk -> copiesOfNode.merge(node(disk), 1L, Long::sum));
    while (have < world.minimum()) {
      List<String> candidates =
          world.disks().keySet().stream()
              .filter(disk -> !entries.containsKey(disk) && !world.cleanup().contains(disk))
              .filter(disk -> world.disks().get(disk).eligible())
              .filter(disk -> !world.disks().get(disk).leaving())
              .sorted(
                  Comparator.comparing((String disk) -> copiesOfNode.getOrDefault(node(disk), 0L))
                      .thenComparing(Comparator.naturalOrder()))
              .toList();
      if (candidates.isEmpty()) {
        return;
      }
      add(candidates.get(0));
      copiesOfNode.merge(node(candidates.get(0)), 1L, Long::sum);
      have++;
    }
  }

  private Map<String, Instant> lastRefAt() {
    Map<String, Instant> next = new TreeMap<>();
    for (String disk : entries.keySet()) {
      if (!world.needed().contains(disk)) {
        Instant earlier = world.lastRefAt().getOrDefault(disk, world.now());
        // A time in the future means that the clock was set back.
        next.put(disk, earlier.isAfter(world.now()) ? world.now() : earlier);
      }
    }
    return next;
  }

  /**
   * Returns the disks in the order of removal: failed files first, then those in progress, then
   * good ones.
   */
  private List<String> inOrderOfWorth() {
    return entries.keySet().stream()
        .sorted(Comparator.comparing(this::worth).thenComparing(Comparator.naturalOrder()))
        .toList();
  }

  private int worth(String disk) {
    return isGood(disk) ? 2 : file(disk).isUnderWay() ? 1 : 0;
  }

  private boolean isUnwanted(String disk, Map<String, Instant> lastRefAt) {
    if (world.needed().contains(disk)) {
      return false;
    }
    boolean expired = !lastRefAt.get(disk).plus(world.keepFor()).isAfter(world.now());
    return expired || world.cleanup().contains(disk) || !stays(disk);
  }

  private boolean mayDrop(String disk) {
    long enough = Math.max(1, world.minimum());
    long good = remaining(disk, false);
    if (isGood(disk)) {
      return good >= enough;
    }
    // A failed file may have the content, because its disk may have caused the failure.
    return file(disk).isUnderWay() ? good >= enough : good > 0 && remaining(disk, true) >= enough;
  }

  /**
   * Counts the copies that remain without a disk. A copy counts once its entry is stored, because
   * before that its manager may be removing it for an earlier plan.
   */
  private long remaining(String without, boolean underWayToo) {
    return world.entries().keySet().stream()
        .filter(entries::containsKey)
        .filter(disk -> !disk.equals(without) && stays(disk))
        .filter(disk -> isGood(disk) || (underWayToo && file(disk).isUnderWay()))
        .count();
  }

  /** Returns whether the copy may stay on its disk. */
  private boolean stays(String disk) {
    PlannedDisk found = world.disks().get(disk);
    return found != null && !found.leaving() && !entries.getOrDefault(disk, false);
  }

  private boolean isGood(String disk) {
    return world.disks().containsKey(disk) && file(disk).isGood();
  }

  private PlannedFile file(String disk) {
    return world.files().getOrDefault(disk, NOTHING);
  }

  private String node(String disk) {
    PlannedDisk found = world.disks().get(disk);
    return found == null ? "" : found.node();
  }
}
