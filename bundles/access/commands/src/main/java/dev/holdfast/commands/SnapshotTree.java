package dev.holdfast.commands;

import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The tree of a volume's snapshots, without removed snapshots that the system took for its own
 * work, for example for a rebuild.
 */
final class SnapshotTree {
  private static final Comparator<Snapshot> BY_AGE =
      Comparator.<Snapshot, Instant>comparing(s -> s.status().creationTime().orElse(Instant.MAX))
          .thenComparing(Snapshot::nameInVolume);

  private final Map<String, Snapshot> byName = new HashMap<>();
  private final List<Snapshot> shown;
  private final Optional<Snapshot> belowLiveContent;

  SnapshotTree(List<Snapshot> snapshots) {
    snapshots.forEach(snapshot -> byName.put(snapshot.nameInVolume(), snapshot));
    shown = withoutLeftovers(snapshots).stream().sorted(BY_AGE).toList();
    // The status of a lost snapshot is outdated and may also name the live content.
    belowLiveContent =
        snapshots.stream()
            .filter(snapshot -> snapshot.status().error().isEmpty())
            .filter(snapshot -> snapshot.status().children().contains(SnapshotStatus.HEAD))
            .max(BY_AGE)
            .flatMap(this::shownAtOrBelow);
  }

  /** Returns the snapshots without removed ones that the system took for its own work. */
  static List<Snapshot> withoutLeftovers(List<Snapshot> snapshots) {
    return snapshots.stream().filter(snapshot -> !isLeftover(snapshot)).toList();
  }

  private static boolean isLeftover(Snapshot snapshot) {
    SnapshotStatus status = snapshot.status();
    return status.creationTime().isPresent()
        && !status.userCreated()
        && (status.markRemoved() || snapshot.isBeingDeleted() || !status.error().isEmpty());
  }

  /** Returns the snapshots without a parent, oldest first. */
  List<Snapshot> roots() {
    return shown.stream().filter(snapshot -> parent(snapshot).isEmpty()).toList();
  }

  /** Returns the children of a snapshot, oldest first. */
  List<Snapshot> above(Snapshot snapshot) {
    return shown.stream()
        .filter(child -> parent(child).filter(snapshot::equals).isPresent())
        .toList();
  }

  boolean isBelowLiveContent(Snapshot snapshot) {
    return belowLiveContent.filter(snapshot::equals).isPresent();
  }

  private Optional<Snapshot> parent(Snapshot snapshot) {
    return Optional.ofNullable(byName.get(snapshot.status().parent()))
        .flatMap(this::shownAtOrBelow)
        .filter(parent -> !parent.equals(snapshot));
  }

  private Optional<Snapshot> shownAtOrBelow(Snapshot snapshot) {
    Set<String> seen = new HashSet<>();
    Snapshot at = snapshot;
    while (at != null && seen.add(at.nameInVolume())) {
      if (shown.contains(at)) {
        return Optional.of(at);
      }
      at = byName.get(at.status().parent());
    }
    return Optional.empty();
  }
}
