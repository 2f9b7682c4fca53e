package dev.holdfast.recurring.internal;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.snapshot.ChangesPage;
import dev.holdfast.resource.snapshot.ChangesRequest;
import dev.holdfast.resource.snapshot.Snapshot;
import java.util.Comparator;
import java.util.Optional;

/**
 * Determines whether a volume changed since the job's last snapshot, or since the last backup at
 * the target. The node that has the volume open compares the snapshots.
 */
final class ChangeCheck {
  private final JobView view;

  ChangeCheck(JobView view) {
    this.view = view;
  }

  /** Outcome for one snapshot. */
  enum Outcome {
    /** The snapshot is not taken yet, or the node has not answered yet. */
    OPEN,
    /** The comparison must be requested from the node. */
    ASK,
    /** The volume changed, or this cannot be determined. */
    CHANGED,
    /** The volume did not change. */
    UNCHANGED,
    /** The snapshot cannot be taken. */
    FAILED
  }

  /** Returns the snapshot with which the next one is compared; empty for none. */
  Optional<Snapshot> reference(String volume) {
    return view.task().makesBackups() ? ofBackup(volume) : ofJob(volume);
  }

  private Optional<Snapshot> ofBackup(String volume) {
    return view.newestBackup(volume, view.target(volume))
        .map(Backup::status)
        .flatMap(
            status ->
                view.snapshot(status.snapshotName())
                    .filter(found -> found.metadata().uid().equals(status.snapshotUID())))
        .filter(ChangeCheck::isUsable);
  }

  private Optional<Snapshot> ofJob(String volume) {
    return view.ownSnapshots().stream()
        .filter(snapshot -> snapshot.spec().volume().equals(volume))
        .filter(snapshot -> !snapshot.metadata().labels().containsKey(RecurringJob.CHECK_LABEL))
        .filter(ChangeCheck::isUsable)
        .max(Comparator.comparingLong(snapshot -> RunNames.number(snapshot.metadata())));
  }

  private static boolean isUsable(Snapshot snapshot) {
    return snapshot.status().readyToUse()
        && snapshot.status().error().isEmpty()
        && !snapshot.isBeingDeleted();
  }

  Outcome outcome(Snapshot snapshot) {
    if (!snapshot.status().error().isEmpty()) {
      return Outcome.FAILED;
    }
    if (!snapshot.status().readyToUse()) {
      return Outcome.OPEN;
    }
    String id = snapshot.nameInVolume();
    ChangesPage answer = snapshot.status().changes();
    if (answer.requestID().equals(id)) {
      boolean none =
          answer.error().isEmpty() && answer.ranges().isEmpty() && answer.nextOffset() == 0;
      return none ? Outcome.UNCHANGED : Outcome.CHANGED;
    }
    if (reference(snapshot.spec().volume()).isEmpty()) {
      return Outcome.CHANGED;
    }
    return snapshot.spec().changes().id().equals(id) ? Outcome.OPEN : Outcome.ASK;
  }

  /** Returns the snapshot with the request for the comparison. */
  Snapshot asked(Snapshot snapshot) {
    String from = reference(snapshot.spec().volume()).map(Snapshot::nameInVolume).orElse("");
    return snapshot.withSpec(
        snapshot.spec().withChanges(new ChangesRequest(snapshot.nameInVolume(), from, 0)));
  }
}
