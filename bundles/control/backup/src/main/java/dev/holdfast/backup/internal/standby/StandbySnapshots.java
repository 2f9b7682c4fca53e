package dev.holdfast.backup.internal.standby;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.Map;
import java.util.Optional;

/** The snapshots of one standby volume. The snapshot of the applied backup serves a revert. */
final class StandbySnapshots {
  private final Volume volume;
  private final ReconcileContext context;

  StandbySnapshots(Volume volume, ReconcileContext context) {
    this.volume = volume;
    this.context = context;
  }

  /**
   * Requests a snapshot of the current content.
   *
   * @return the snapshot as soon as it can be read; empty until then
   * @throws StorageException CONFLICT if another snapshot has its name; the failure of the snapshot
   */
  Optional<Snapshot> keep() throws StorageException {
    String inVolume = "restore-" + volume.status().restore().backup();
    String name = Snapshot.nameFor(volume.name(), inVolume);
    Optional<Snapshot> present = context.store().get(Snapshot.KIND, name);
    if (present.isEmpty()) {
      SnapshotSpec spec = SnapshotSpec.EMPTY.withVolume(volume.name()).withSnapshotName(inVolume);
      Snapshot wanted = Snapshot.of(name, spec);
      var unused =
          context
              .store()
              .create(
                  wanted.withMetadata(
                      wanted.metadata().withLabels(Map.of(Snapshot.STANDBY_LABEL, volume.name()))));
      return Optional.empty();
    }
    Snapshot snapshot = present.get();
    if (!volume.name().equals(snapshot.metadata().labels().get(Snapshot.STANDBY_LABEL))) {
      throw new StorageException(
          ErrorCode.CONFLICT, "snapshot " + name + " was made by another client: delete it");
    }
    if (!snapshot.status().error().isEmpty() && !snapshot.isBeingDeleted()) {
      delete(snapshot);
      throw new StorageException(
          ErrorCode.IO, "snapshot " + name + ": " + snapshot.status().error());
    }
    return present.filter(found -> found.status().readyToUse() && !found.isBeingDeleted());
  }

  /**
   * Holds the snapshot of the applied backup until the volume is reverted to it. If a client
   * deletes the snapshot before, the engine keeps it until the revert.
   *
   * @return false if the snapshot is gone or is being deleted
   */
  boolean holdForRevert() throws StorageException {
    Optional<Snapshot> present =
        context
            .store()
            .get(Snapshot.KIND, volume.status().standby().snapshot())
            .filter(snapshot -> !snapshot.isBeingDeleted());
    if (present.isPresent() && !isHeld(present.get())) {
      Snapshot snapshot = present.get();
      var unused =
          context
              .store()
              .update(
                  snapshot.withMetadata(
                      snapshot.metadata().plusFinalizer(Snapshot.STANDBY_FINALIZER)));
    }
    return present.isPresent();
  }

  private static boolean isHeld(Snapshot snapshot) {
    return snapshot.metadata().hasFinalizer(Snapshot.STANDBY_FINALIZER);
  }

  /** Releases the snapshots of a volume that is gone or no longer reverted. */
  static void release(String volume, ReconcileContext context) throws StorageException {
    for (Snapshot cached :
        context.list(Snapshot.KIND, LabelSelector.label(Snapshot.STANDBY_LABEL, volume))) {
      Optional<Snapshot> stored =
          isHeld(cached) ? context.store().get(Snapshot.KIND, cached.name()) : Optional.empty();
      if (stored.filter(StandbySnapshots::isHeld).isPresent()) {
        var unused = released(stored.get(), context);
      }
    }
  }

  private static Snapshot released(Snapshot snapshot, ReconcileContext context)
      throws StorageException {
    return context
        .store()
        .update(
            snapshot.withMetadata(snapshot.metadata().minusFinalizer(Snapshot.STANDBY_FINALIZER)));
  }

  /** Deletes the snapshots of earlier backups. */
  void deleteEarlier() throws StorageException {
    StandbyStatus standby = volume.status().standby();
    for (Snapshot snapshot :
        context.list(Snapshot.KIND, LabelSelector.label(Snapshot.STANDBY_LABEL, volume.name()))) {
      if (!snapshot.isBeingDeleted() && !snapshot.name().equals(standby.snapshot())) {
        delete(snapshot);
      }
    }
  }

  /** Deletes all snapshots of the volume. */
  void deleteAll() throws StorageException {
    for (Snapshot snapshot :
        context
            .store()
            .list(Snapshot.KIND, LabelSelector.label(Snapshot.STANDBY_LABEL, volume.name()))
            .items()) {
      if (isHeld(snapshot)) {
        var unused = released(snapshot, context);
      }
      if (!snapshot.isBeingDeleted()) {
        delete(snapshot);
      }
    }
  }

  private void delete(Snapshot snapshot) throws StorageException {
    var unused = context.store().delete(Snapshot.KIND, snapshot.name(), snapshot.metadata().uid());
  }
}
