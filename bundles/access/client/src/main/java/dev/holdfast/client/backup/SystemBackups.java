package dev.holdfast.client.backup;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemBackupSpec;
import dev.holdfast.resource.backup.SystemBackupState;
import dev.holdfast.resource.backup.SystemRestore;
import dev.holdfast.resource.backup.SystemRestoreSpec;
import dev.holdfast.resource.backup.SystemRestoreState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** Manages backups of the resources of the cluster, and their restore. Thread-safe. */
public final class SystemBackups {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the system backups of a store. */
  public SystemBackups(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  private void requireTarget(String name) throws StorageException {
    if (store.get(BackupTarget.KIND, name).isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "backup target "
              + name
              + " does not exist: add it with 'holdfast backup add-target URL'");
    }
  }

  /**
   * Creates a system backup; with waiting, until the target has it.
   *
   * @throws StorageException INVALID with the field; NOT_FOUND for the target; ALREADY_EXISTS; IO
   *     when it fails permanently; TIMEOUT (the backup continues)
   */
  public SystemBackup create(String name, SystemBackupSpec spec, Waiting waiting)
      throws StorageException {
    requireTarget(spec.backupTargetName());
    SystemBackup created = store.create(SystemBackup.of(name, spec));
    if (!waiting.isWanted()) {
      return created;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var backup = observation.follow(SystemBackup.KIND, name);
      return observation.await(
          "system backup " + name,
          waiting,
          () -> ready(name, backup.latest()),
          () -> backup.latest().map(SystemBackups::progress).orElse("it was deleted"));
    }
  }

  private static Optional<SystemBackup> ready(String name, Optional<SystemBackup> backup)
      throws StorageException {
    if (backup.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, "system backup " + name + " was deleted");
    }
    if (backup.get().isFinal() && backup.get().status().state() == SystemBackupState.ERROR) {
      throw new StorageException(
          ErrorCode.IO, "system backup " + name + " failed: " + backup.get().status().error());
    }
    return backup.filter(found -> found.status().state() == SystemBackupState.READY);
  }

  private static String progress(SystemBackup backup) {
    return backup.status().error().isEmpty()
        ? switch (backup.status().state()) {
          case NONE, VOLUME_BACKUPS -> "backups of volumes";
          case UPLOADING, READY, ERROR -> "the target";
        }
        : backup.status().error();
  }

  /** Returns all system backups by name. */
  public ResourceList<SystemBackup> list() throws StorageException {
    return store.list(SystemBackup.KIND, LabelSelector.ALL);
  }

  /**
   * Returns one system backup.
   *
   * @throws StorageException NOT_FOUND
   */
  public SystemBackup get(String name) throws StorageException {
    return editor.require(SystemBackup.KIND, name);
  }

  /**
   * Deletes a system backup, also one that another cluster made; with waiting, until it is deleted
   * at its target. Backups of volumes remain.
   *
   * @throws StorageException NOT_FOUND; TIMEOUT (the deletion continues)
   */
  public void delete(String name, Waiting waiting) throws StorageException {
    SystemBackup backup =
        editor.edit(
            SystemBackup.KIND,
            name,
            found ->
                found.isBeingDeleted() || !found.isDiscovered()
                    ? found
                    : found.withMetadata(found.metadata().plusFinalizer(Backup.FINALIZER)));
    try (ResourceWait observation = new ResourceWait(store)) {
      var followed = observation.follow(SystemBackup.KIND, name);
      store.delete(SystemBackup.KIND, name, backup.metadata().uid());
      if (waiting.isWanted()) {
        observation.await(
            "system backup " + name,
            waiting,
            () -> Optional.of(true).filter(yes -> followed.latest().isEmpty()),
            () -> "its deletion at the target");
      }
    }
  }

  /**
   * Creates a system restore; with waiting, until each item was tried and the volumes have their
   * content. Its status lists failed items.
   *
   * @throws StorageException INVALID with the field; NOT_FOUND for the target; ALREADY_EXISTS; IO
   *     when it fails permanently; TIMEOUT (the restore continues)
   */
  public SystemRestore restore(String name, SystemRestoreSpec spec, Waiting waiting)
      throws StorageException {
    requireTarget(spec.backupTargetName());
    SystemRestore created = store.create(SystemRestore.of(name, spec));
    if (!waiting.isWanted()) {
      return created;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var restore = observation.follow(SystemRestore.KIND, name);
      return observation.await(
          "system restore " + name,
          waiting,
          () -> complete(name, restore.latest()),
          () -> restore.latest().map(SystemBackups::progress).orElse("it was deleted"));
    }
  }

  private static Optional<SystemRestore> complete(String name, Optional<SystemRestore> restore)
      throws StorageException {
    if (restore.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, "system restore " + name + " was deleted");
    }
    if (restore.get().isFinal() && restore.get().status().state() == SystemRestoreState.ERROR) {
      throw new StorageException(
          ErrorCode.IO, "system restore " + name + " failed: " + restore.get().status().error());
    }
    return restore.filter(found -> found.status().state() == SystemRestoreState.COMPLETED);
  }

  private static String progress(SystemRestore restore) {
    if (!restore.status().error().isEmpty()) {
      return restore.status().error();
    }
    return restore.status().itemsRestoredAt().isEmpty()
        ? "its resources"
        : "the content of " + restore.status().pendingVolumes() + " volumes";
  }
}
