package dev.holdfast.client.backup;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.UUID;

/** Scans targets, and returns the volumes found there. Thread-safe. */
public final class BackupScans {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the targets of a store. */
  public BackupScans(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Requests a scan of a target; with waiting, until the target and its volumes are scanned. A
   * volume that cannot be read does not delay the others.
   *
   * @throws StorageException NOT_FOUND; TIMEOUT with the reason (the scan continues)
   */
  public BackupTarget scan(String name, Waiting waiting) throws StorageException {
    if (store.get(BackupTarget.KIND, name).isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "backup target " + name + " does not exist: see 'holdfast backup targets'");
    }
    String request = UUID.randomUUID().toString();
    BackupTarget asked =
        editor.edit(
            BackupTarget.KIND,
            name,
            found -> found.withSpec(found.spec().withSyncRequest(request)));
    if (!waiting.isWanted()) {
      return asked;
    }
    BackupTarget scanned = awaitTarget(name, request, waiting);
    for (BackupVolume volume : volumes(Optional.of(name)).items()) {
      if (!follows(volume, scanned)) {
        awaitVolume(volume.name(), scanned, waiting);
      }
    }
    return scanned;
  }

  private BackupTarget awaitTarget(String name, String request, Waiting waiting)
      throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var target = observation.follow(BackupTarget.KIND, name);
      return observation.await(
          "scan of backup target " + name,
          waiting,
          () -> {
            if (target.latest().isEmpty()) {
              throw new StorageException(
                  ErrorCode.NOT_FOUND, "backup target " + name + " was deleted");
            }
            return target.latest().filter(found -> found.status().synced().equals(request));
          },
          () -> target.latest().map(BackupTarget::syncObstacle).orElse(""));
    }
  }

  private void awaitVolume(String name, BackupTarget scanned, Waiting waiting)
      throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var volume = observation.follow(BackupVolume.KIND, name);
      observation.await(
          "scan of " + name,
          waiting,
          () ->
              Optional.of(true)
                  .filter(
                      yes -> volume.latest().filter(found -> !follows(found, scanned)).isEmpty()),
          () -> "the list of its backups");
    }
  }

  private static boolean follows(BackupVolume volume, BackupTarget scanned) {
    return (volume.status().lastSyncedAt().isPresent()
            && volume.status().syncedScan() >= scanned.status().scans())
        || !volume.syncObstacle().isEmpty();
  }

  /** Returns the volumes at one target, or at all targets. */
  public ResourceList<BackupVolume> volumes(Optional<String> target) throws StorageException {
    ResourceList<BackupVolume> all = store.list(BackupVolume.KIND, LabelSelector.ALL);
    return new ResourceList<>(
        all.items().stream()
            .filter(
                volume -> target.filter(t -> !t.equals(volume.spec().backupTargetName())).isEmpty())
            .toList(),
        all.resourceVersion());
  }

  /**
   * Deletes all backups of a volume at a target; with waiting, until they are removed from the
   * target.
   *
   * @throws StorageException NOT_FOUND; TIMEOUT (the deletion continues)
   */
  public void deleteVolume(String target, String volume, Waiting waiting) throws StorageException {
    String name = BackupVolume.nameFor(target, volume);
    if (store.get(BackupVolume.KIND, name).isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "backup target "
              + target
              + ": has no volume "
              + volume
              + " as of its last scan: see 'holdfast backup volumes'");
    }
    BackupVolume marked =
        editor.edit(
            BackupVolume.KIND,
            name,
            found ->
                found.isBeingDeleted()
                    ? found
                    : found.withMetadata(found.metadata().plusFinalizer(Backup.FINALIZER)));
    try (ResourceWait observation = new ResourceWait(store)) {
      var followed = observation.follow(BackupVolume.KIND, name);
      store.delete(BackupVolume.KIND, name, marked.metadata().uid());
      if (waiting.isWanted()) {
        observation.await(
            "backups of volume " + volume,
            waiting,
            () -> Optional.of(true).filter(yes -> followed.latest().isEmpty()),
            () -> "their deletion at the target");
      }
    }
  }
}
