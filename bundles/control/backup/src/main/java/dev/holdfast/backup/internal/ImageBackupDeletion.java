package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.RemovedBackup;
import dev.holdfast.backupstore.image.ImageBackupRemoval;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupTarget;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Deletes backups of images at their targets before their resources are removed. */
final class ImageBackupDeletion {
  private final InstalledTargets targets;
  private final BackgroundWork<RemovedBackup> removals;

  ImageBackupDeletion(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.removals = new BackgroundWork<>(threads);
  }

  /**
   * Makes one step of the deletion. Returns whether the resource may be removed.
   *
   * @throws StorageException if the target fails; the deletion is retried
   */
  boolean advance(BackupBackingImage backup, ReconcileContext context) throws StorageException {
    if (!backup.metadata().hasFinalizer(Backup.FINALIZER)) {
      return true;
    }
    String work = backup.metadata().uid();
    if (!removals.isBegun(work)) {
      String name = backup.spec().backupTargetName();
      Optional<BackupTarget> target = context.store().get(BackupTarget.KIND, name);
      if (target.isEmpty()) {
        String why = "backup target " + name + " does not exist: the backup stays there";
        context.events().warning(backup, "BackupKept", why);
        return release(backup, context);
      }
      removals.begin(work, () -> remove(backup, target.get()));
      return false;
    }
    Optional<RemovedBackup> removed = removals.take(work);
    if (removed.isEmpty()) {
      return false;
    }
    if (!removed.get().kept().isEmpty()) {
      context.events().normal(backup, "BackupBlocksKept", removed.get().kept());
    }
    return release(backup, context);
  }

  private RemovedBackup remove(BackupBackingImage backup, BackupTarget target)
      throws StorageException {
    try (ObjectStore store = targets.open(TargetAccess.of(target))) {
      return new ImageBackupRemoval(store, targets.options().timing())
          .remove(backup.spec().backingImage());
    }
  }

  private static boolean release(BackupBackingImage backup, ReconcileContext context)
      throws StorageException {
    try {
      context
          .store()
          .update(backup.withMetadata(backup.metadata().minusFinalizer(Backup.FINALIZER)));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
    return true;
  }
}
