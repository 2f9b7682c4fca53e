package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.RemovedBackup;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Deletes backups at their targets before their resources are removed. */
final class BackupDeletion {
  private final InstalledTargets targets;
  private final BackgroundWork<RemovedBackup> removals;

  BackupDeletion(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.removals = new BackgroundWork<>(threads);
  }

  /**
   * Makes one step of the deletion. Returns whether the resource may be removed.
   *
   * @throws StorageException if the target fails; the deletion is retried
   */
  boolean advance(Backup backup, ReconcileContext context) throws StorageException {
    if (!backup.metadata().hasFinalizer(Backup.FINALIZER)) {
      return true;
    }
    String work = backup.metadata().uid();
    if (!removals.isBegun(work)) {
      Optional<BackupTarget> target =
          context.store().get(BackupTarget.KIND, backup.spec().backupTargetName());
      if (target.isEmpty()) {
        context
            .events()
            .warning(
                backup,
                "BackupKept",
                "backup target "
                    + backup.spec().backupTargetName()
                    + " does not exist: the backup stays there");
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

  private RemovedBackup remove(Backup backup, BackupTarget target) throws StorageException {
    try (ObjectStore store = targets.open(TargetAccess.of(target))) {
      return new LaidOutBackups(store, targets.options().timing())
          .remove(BackupRecords.nameOf(backup));
    }
  }

  private static boolean release(Backup backup, ReconcileContext context) throws StorageException {
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
