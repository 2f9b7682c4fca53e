package dev.holdfast.client.backup;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;

/** Manages backups of volumes, and the targets that keep them. Thread-safe. */
public final class VolumeBackups {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the backups of a store. */
  public VolumeBackups(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Adds a target; with waiting, until it answers.
   *
   * @throws StorageException INVALID with the field; ALREADY_EXISTS; TIMEOUT while it does not
   *     answer (it remains)
   */
  public BackupTarget addTarget(String name, BackupTargetSpec spec, Waiting waiting)
      throws StorageException {
    BackupTarget created = store.create(BackupTarget.of(name, spec));
    if (!waiting.isWanted()) {
      return created;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var target = observation.follow(BackupTarget.KIND, name);
      return observation.await(
          "backup target " + name,
          waiting,
          () -> target.latest().filter(found -> found.status().available()),
          () -> target.latest().map(BackupTarget::obstacle).orElse("it was deleted"));
    }
  }

  /** Returns all targets by name. */
  public ResourceList<BackupTarget> targets() throws StorageException {
    return store.list(BackupTarget.KIND, LabelSelector.ALL);
  }

  /**
   * Removes a target without its content. The results of its scans are then hidden.
   *
   * @throws StorageException NOT_FOUND; BUSY while it keeps backups that this cluster made, of
   *     volumes, images or the system
   */
  public void removeTarget(String name) throws StorageException {
    BackupTarget target = editor.require(BackupTarget.KIND, name);
    List<String> backups = new OwnBackups(store).at(name);
    if (!backups.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "backup target "
              + name
              + ": it keeps backups of this cluster: "
              + String.join(", ", backups)
              + ": delete them first");
    }
    store.delete(BackupTarget.KIND, name, target.metadata().uid());
  }

  /**
   * Creates a backup; with waiting, until the target has it.
   *
   * @throws StorageException INVALID with the field; NOT_FOUND for the volume or the target;
   *     ALREADY_EXISTS; IO when it fails permanently; TIMEOUT (the backup continues)
   */
  public Backup create(String name, BackupSpec spec, Waiting waiting) throws StorageException {
    var unused = editor.require(Volume.KIND, spec.volume());
    if (store.get(BackupTarget.KIND, spec.backupTargetName()).isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "backup target "
              + spec.backupTargetName()
              + " does not exist: add it with 'holdfast backup add-target URL'");
    }
    Backup created = store.create(Backup.of(name, spec));
    if (!waiting.isWanted()) {
      return created;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var backup = observation.follow(Backup.KIND, name);
      return observation.await(
          "backup " + name,
          waiting,
          () -> complete(name, backup.latest()),
          () -> why(backup.latest()));
    }
  }

  /**
   * Waits until the snapshot of a backup is taken; the backup may still be incomplete.
   *
   * @throws StorageException NOT_FOUND; IO when it fails permanently; TIMEOUT (the backup
   *     continues)
   */
  public Backup awaitSnapshot(String name, Waiting waiting) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var backup = observation.follow(Backup.KIND, name);
      return observation.await(
          "snapshot of backup " + name,
          waiting,
          () -> {
            Optional<Backup> complete = complete(name, backup.latest());
            return complete.isPresent()
                ? complete
                : backup.latest().filter(found -> found.status().snapshotCreatedAt().isPresent());
          },
          () -> why(backup.latest()));
    }
  }

  private static Optional<Backup> complete(String name, Optional<Backup> backup)
      throws StorageException {
    if (backup.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, "backup " + name + " was deleted");
    }
    if (backup.get().isFinal() && backup.get().status().state() == BackupState.ERROR) {
      throw new StorageException(
          ErrorCode.IO, "backup " + name + " failed: " + backup.get().status().error());
    }
    return backup.filter(found -> found.status().state() == BackupState.COMPLETED);
  }

  private static String why(Optional<Backup> backup) {
    return backup
        .map(
            found ->
                found.status().error().isEmpty()
                    ? "it is at " + found.status().progress() + " %"
                    : found.status().error())
        .orElse("it was deleted");
  }

  /** Returns the backups of one volume and at one target, or of all. */
  public ResourceList<Backup> list(Optional<String> volume, Optional<String> target)
      throws StorageException {
    ResourceList<Backup> all = store.list(Backup.KIND, LabelSelector.ALL);
    return new ResourceList<>(
        all.items().stream()
            .filter(backup -> volume.filter(v -> !v.equals(backup.spec().volume())).isEmpty())
            .filter(
                backup -> target.filter(t -> !t.equals(backup.spec().backupTargetName())).isEmpty())
            .toList(),
        all.resourceVersion());
  }

  /**
   * Returns one backup.
   *
   * @throws StorageException NOT_FOUND
   */
  public Backup get(String name) throws StorageException {
    return editor.require(Backup.KIND, name);
  }

  /**
   * Exports a backup to hosts, read-only; with waiting, until a node serves it.
   *
   * @param frontend name of the frontend; empty to keep the present one
   * @param node node of the export; empty to keep the present value
   * @throws StorageException NOT_FOUND; INVALID with the field; CONFLICT for an incomplete backup;
   *     TIMEOUT with the reason (the request remains)
   */
  public Backup export(
      String name, Optional<String> frontend, Optional<String> node, Waiting waiting)
      throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var followed = observation.follow(Backup.KIND, name);
      Backup exported = editor.edit(Backup.KIND, name, found -> exported(found, frontend, node));
      if (exported.status().state() != BackupState.COMPLETED) {
        throw new StorageException(
            ErrorCode.CONFLICT,
            "backup " + name + " is not complete; it is shown as soon as it is");
      }
      if (!waiting.isWanted()) {
        return exported;
      }
      return observation.await(
          "backup " + name,
          waiting,
          () -> followed.latest().filter(found -> isServed(found, exported.spec())),
          () -> followed.latest().map(VolumeBackups::whyNotServed).orElse("it was deleted"));
    }
  }

  private static Backup exported(Backup backup, Optional<String> frontend, Optional<String> node) {
    BackupSpec spec = backup.spec();
    return backup.withSpec(
        spec.withExported(true)
            .withExportFrontend(frontend.orElse(spec.exportFrontend()))
            .withExportNodeID(node.orElse(spec.exportNodeID())));
  }

  private static boolean isServed(Backup backup, BackupSpec wanted) {
    boolean there =
        wanted.exportNodeID().isEmpty()
            || wanted.exportNodeID().equals(backup.status().exportNodeID());
    return there
        && backup.isToBeExported()
        && backup.status().endpoint().startsWith(wanted.exportFrontend());
  }

  private static String whyNotServed(Backup backup) {
    String why = backup.status().exportError();
    return why.isEmpty() ? "no node serves it yet" : why;
  }

  /**
   * Ends the export of a backup; succeeds if it is not exported. The node withdraws the export soon
   * after.
   *
   * @throws StorageException NOT_FOUND
   */
  public Backup withdraw(String name) throws StorageException {
    return editor.edit(
        Backup.KIND, name, found -> found.withSpec(found.spec().withExported(false)));
  }

  /**
   * Deletes a backup, also one that another cluster made; with waiting, until it is deleted at its
   * target.
   *
   * @throws StorageException NOT_FOUND; TIMEOUT (the deletion continues)
   */
  public void delete(String name, Waiting waiting) throws StorageException {
    Backup backup =
        editor.edit(
            Backup.KIND,
            name,
            found ->
                found.isBeingDeleted() || !found.isDiscovered()
                    ? found
                    : found.withMetadata(found.metadata().plusFinalizer(Backup.FINALIZER)));
    try (ResourceWait observation = new ResourceWait(store)) {
      var followed = observation.follow(Backup.KIND, name);
      store.delete(Backup.KIND, name, backup.metadata().uid());
      if (waiting.isWanted()) {
        observation.await(
            "backup " + name,
            waiting,
            () -> Optional.of(true).filter(yes -> followed.latest().isEmpty()),
            () -> "its deletion at the target");
      }
    }
  }
}
