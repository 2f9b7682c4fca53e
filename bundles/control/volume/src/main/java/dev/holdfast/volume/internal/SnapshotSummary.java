package dev.holdfast.volume.internal;

import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;

/**
 * Summary of a volume's snapshots.
 *
 * @param count how many it has
 * @param damaged names of those whose right content is unknown
 */
record SnapshotSummary(long count, List<String> damaged) {
  private static final long MANY = 100;

  SnapshotSummary {
    damaged = List.copyOf(damaged);
  }

  /** So many snapshots, all whole as far as is known. */
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

  /** Warns of long chains: they cost space and time, and the next snapshot may be refused. */
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

  /** Says which of them are damaged, if any are. */
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
