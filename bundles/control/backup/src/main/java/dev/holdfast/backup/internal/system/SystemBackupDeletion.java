package dev.holdfast.backup.internal.system;

import dev.holdfast.backup.internal.BackgroundWork;
import dev.holdfast.backup.internal.InstalledTargets;
import dev.holdfast.backup.internal.TargetAccess;
import dev.holdfast.backupstore.system.SystemArchives;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.SystemBackup;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Deletes system backups at their targets before their resources are removed. */
final class SystemBackupDeletion {
  private final InstalledTargets targets;
  private final BackgroundWork<Boolean> removals;

  SystemBackupDeletion(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.removals = new BackgroundWork<>(threads);
  }

  /**
   * Makes one step of the deletion. Returns whether the resource may be removed.
   *
   * @throws StorageException if the target fails; the deletion is retried
   */
  boolean advance(SystemBackup backup, ReconcileContext context) throws StorageException {
    if (!backup.metadata().hasFinalizer(Backup.FINALIZER)) {
      return true;
    }
    String work = backup.metadata().uid();
    if (!removals.isBegun(work)) {
      Optional<BackupTarget> target =
          context.store().get(BackupTarget.KIND, backup.spec().backupTargetName());
      if (target.isEmpty()) {
        String why = "backup target " + backup.spec().backupTargetName() + " does not exist";
        context.events().warning(backup, "SystemBackupKept", why + ": the backup stays there");
        return release(backup, context);
      }
      removals.begin(work, () -> removed(backup, target.get()));
    }
    return removals.take(work).isPresent() && release(backup, context);
  }

  private boolean removed(SystemBackup backup, BackupTarget target) throws StorageException {
    String uid = backup.isDiscovered() ? "" : backup.metadata().uid();
    try (ObjectStore store = targets.open(TargetAccess.of(target))) {
      new SystemArchives(store).delete(backup.name(), uid);
      return true;
    }
  }

  private static boolean release(SystemBackup backup, ReconcileContext context)
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
