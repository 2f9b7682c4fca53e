package dev.holdfast.volume.internal;

import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;

/**
 * Summary of a volume's snapshots.
 *
 * @param count number of snapshots
 * @param damaged names of snapshots with damage
 */
record SnapshotSummary(long count, List<String> damaged) {
  private static final long MANY = 100;

  SnapshotSummary {
    damaged = List.copyOf(damaged);
  }

  /** Returns a summary of undamaged snapshots. */
  static SnapshotSummary whole(long count) {
    return new SnapshotSummary(count, List.of());
  }

  static SnapshotSummary of(Volume volume, List<Snapshot> all) {
    List<Snapshot> own =
        all.stream().filter(snapshot -> snapshot.spec().volume().equals(volume.name())).toList();
    return new SnapshotSummary(
        own.size(),
        own.stream()
            .filter(snapshot -> !snapshot.isBeingDeleted())
            .filter(snapshot -> snapshot.status().scrubStatus().damaged().bytes() > 0)
            .map(Snapshot::nameInVolume)
            .sorted()
            .toList());
  }

  /**
   * Warns about long chains, which cost space and time and may cause the next snapshot to be
   * rejected.
   */
  Optional<String> tooMany(Volume volume) {
    return count <= MANY
        ? Optional.empty()
        : Optional.of(
            "volume "
                + volume.name()
                + " has "
                + count
                + " snapshots, more than "
                + MANY
                + ": delete those that are not needed");
  }

  /** Returns the message about damaged snapshots, if any. */
  Optional<String> damage(Volume volume) {
    return damaged.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "volume "
                + volume.name()
                + ": parts of snapshots "
                + String.join(", ", damaged)
                + " differ from their checksums or between replicas, and the right content is"
                + " unknown; see status.scrub of each");
  }
}
