package dev.holdfast.backup.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots of backups. A snapshot that is taken for a backup stays until a newer backup of the
 * volume at the same target is complete, because the next backup is compared with it.
 */
final class BackupSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(BackupSnapshots.class);

  private final ReconcileContext context;

  BackupSnapshots(ReconcileContext context) {
    this.context = context;
  }

  /**
   * Returns the snapshot of a backup, which may not be taken yet.
   *
   * @throws StorageException NOT_FOUND if the requested snapshot does not exist
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

  /**
   * Deletes the snapshot that was taken for a backup, if no later backup needs it. A detached
   * volume is not attached for the deletion; its snapshot stays until it is attached.
   */
  void release(String backup) throws StorageException {
    for (Snapshot snapshot : heldBy(backup)) {
      if (!snapshot.isBeingDeleted() && isRemovable(snapshot) && !isNeeded(backup)) {
        context.store().delete(Snapshot.KIND, snapshot.name(), snapshot.metadata().uid());
      }
    }
  }

  private List<Snapshot> heldBy(String backup) {
    return context.list(Snapshot.KIND, LabelSelector.label(Backup.SNAPSHOT_LABEL, backup));
  }

  private boolean isRemovable(Snapshot snapshot) {
    return !snapshot.isRequested()
        || context
            .get(Volume.KIND, snapshot.spec().volume())
            .map(v -> v.isBeingDeleted() || v.status().state() == VolumeState.ATTACHED)
            .orElse(true);
  }

  /**
   * Deletes the snapshots of the backups that a backup replaces. It does so before the completion
   * is recorded and the ticket ends, so that the volume is not attached again for the deletion.
   * After a failure {@link #release} deletes them.
   */
  void replaceFormer(Backup backup) {
    List<Backup> former =
        BackupRecords.completed(backup, context)
            .filter(other -> !other.name().equals(backup.name()))
            .toList();
    for (Backup other : former) {
      for (Snapshot snapshot : heldBy(other.name())) {
        try {
          replace(snapshot, backup);
        } catch (StorageException e) {
          LOG.debug("snapshot {}: could not give it up yet: {}", snapshot.name(), e.getMessage());
        }
      }
    }
  }

  private void replace(Snapshot snapshot, Backup backup) throws StorageException {
    Optional<Snapshot> stored =
        context.store().get(Snapshot.KIND, snapshot.name()).filter(s -> !s.isBeingDeleted());
    if (stored.isPresent()) {
      Map<String, String> labels = new LinkedHashMap<>(stored.get().metadata().labels());
      labels.put(Backup.REPLACED_BY_LABEL, backup.name());
      Snapshot marked =
          context
              .store()
              .update(stored.get().withMetadata(stored.get().metadata().withLabels(labels)));
      context.store().delete(Snapshot.KIND, marked.name(), marked.metadata().uid());
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
