package dev.holdfast.backup.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.store.LabelSelector;
import java.util.Map;
import java.util.Optional;

/**
 * The snapshots that backups hold. One that is taken for a backup stays until a newer backup of the
 * volume at the same target is complete: the next backup is compared with it.
 */
final class BackupSnapshots {
  private final ReconcileContext context;

  BackupSnapshots(ReconcileContext context) {
    this.context = context;
  }

  /**
   * Returns the snapshot of a backup; it may not be taken yet.
   *
   * @throws StorageException NOT_FOUND when the one that was asked for does not exist
   */
  Snapshot require(Backup backup) throws StorageException {
    String wanted = backup.spec().snapshotName();
    String name =
        wanted.isEmpty() ? Snapshot.nameFor(backup.spec().volume(), backup.name()) : wanted;
    Optional<Snapshot> present =
        context
            .store()
            .get(Snapshot.KIND, name)
            .filter(snapshot -> snapshot.spec().volume().equals(backup.spec().volume()))
            .filter(snapshot -> !snapshot.isBeingDeleted());
    if (present.isPresent()) {
      return present.get();
    }
    if (!wanted.isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "volume " + backup.spec().volume() + " has no snapshot resource " + wanted);
    }
    SnapshotSpec spec =
        SnapshotSpec.EMPTY.withVolume(backup.spec().volume()).withSnapshotName(backup.name());
    Snapshot taken = Snapshot.of(name, spec);
    return context
        .store()
        .create(
            taken.withMetadata(
                taken.metadata().withLabels(Map.of(Backup.SNAPSHOT_LABEL, backup.name()))));
  }

  /** Gives up the snapshot that was taken for a backup, if no later backup needs it. */
  void release(String backup) throws StorageException {
    for (Snapshot snapshot :
        context.list(Snapshot.KIND, LabelSelector.label(Backup.SNAPSHOT_LABEL, backup))) {
      if (!snapshot.isBeingDeleted() && !isNeeded(backup)) {
        context.store().delete(Snapshot.KIND, snapshot.name(), snapshot.metadata().uid());
      }
    }
  }

  private boolean isNeeded(String name) throws StorageException {
    Optional<Backup> backup =
        context.store().get(Backup.KIND, name).filter(present -> !present.isBeingDeleted());
    if (backup.isEmpty() || !backup.get().isFinal()) {
      return backup.isPresent();
    }
    return backup.get().wasCompleted() && !hasNewer(backup.get());
  }

  /** Returns whether the same target has a newer complete backup of the same volume. */
  private boolean hasNewer(Backup backup) {
    return BackupRecords.completed(backup, context)
        .anyMatch(other -> Backup.COMPLETION_ORDER.compare(other, backup) > 0);
  }
}
