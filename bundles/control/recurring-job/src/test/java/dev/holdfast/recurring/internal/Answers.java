package dev.holdfast.recurring.internal;

import dev.holdfast.resource.snapshot.ChangedRange;
import dev.holdfast.resource.snapshot.ChangesPage;
import dev.holdfast.resource.snapshot.Snapshot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Acts as the nodes: takes snapshots, and answers requests for changes. */
final class Answers {
  private Answers() {}

  /** Returns the taken snapshot with its answer. */
  static Snapshot of(Snapshot snapshot, Instant now, boolean changed) {
    Instant created = snapshot.status().creationTime().orElse(now);
    Snapshot taken =
        snapshot.withStatus(
            snapshot.status().withReadyToUse(true).withCreationTime(Optional.of(created)));
    if (!taken.isAskedForChanges()) {
      return taken;
    }
    List<ChangedRange> ranges = changed ? List.of(new ChangedRange(0, 4096)) : List.of();
    return taken.withStatus(
        taken.status().withChanges(new ChangesPage(taken.spec().changes().id(), ranges, 0, "")));
  }
}
