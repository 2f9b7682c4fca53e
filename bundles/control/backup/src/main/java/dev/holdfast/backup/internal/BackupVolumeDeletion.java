package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Deletes all backups of a volume at its target if a user requested it by the finalizer of the
 * BackupVolume, and then the resources of these backups.
 */
final class BackupVolumeDeletion {
  private final InstalledTargets targets;
  private final BackgroundWork<Boolean> removals;

  /**
   * Uids of volumes whose backups the target no longer has. After a restart the target is read
   * again.
   */
  private final Set<String> removed = ConcurrentHashMap.newKeySet();

  BackupVolumeDeletion(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.removals = new BackgroundWork<>(threads);
  }

  /**
   * Makes one step of the deletion. Returns whether the resource may be removed.
   *
   * @throws StorageException if the target fails; the deletion is retried
   */
  boolean advance(BackupVolume volume, ReconcileContext context) throws StorageException {
    if (!volume.metadata().hasFinalizer(Backup.FINALIZER)) {
      return true;
    }
    String work = volume.metadata().uid();
    if (removed.contains(work)) {
      return deleteBackups(volume, context) && release(volume, context);
    }
    if (!removals.isBegun(work)) {
      Optional<BackupTarget> target =
          context.store().get(BackupTarget.KIND, volume.spec().backupTargetName());
      if (target.isEmpty()) {
        context
            .events()
            .warning(
                volume,
                "BackupsKept",
                "backup target "
                    + volume.spec().backupTargetName()
                    + " does not exist: the backups stay there");
        return release(volume, context);
      }
      removals.begin(work, () -> remove(volume, target.get()));
      return false;
    }
    if (removals.take(work).isPresent()) {
      removed.add(work);
    }
    return false;
  }

  private boolean remove(BackupVolume volume, BackupTarget target) throws StorageException {
    try (ObjectStore store = targets.open(TargetAccess.of(target))) {
      new LaidOutBackups(store, targets.options().timing())
          .removeVolume(volume.spec().volumeName());
    }
    return true;
  }

  /** Deletes the resources of the backups; returns whether none is left. */
  private static boolean deleteBackups(BackupVolume volume, ReconcileContext context)
      throws StorageException {
    List<Backup> left =
        context.store().list(Backup.KIND, LabelSelector.ALL).items().stream()
            .filter(volume::has)
            .toList();
    for (Backup backup : left) {
      if (!backup.isBeingDeleted()) {
        try {
          context.store().delete(Backup.KIND, backup.name(), backup.metadata().uid());
        } catch (StorageException e) {
          if (e.code() != ErrorCode.NOT_FOUND) {
            throw e;
          }
        }
      }
    }
    return left.isEmpty();
  }

  private static boolean release(BackupVolume volume, ReconcileContext context)
      throws StorageException {
    try {
      context
          .store()
          .update(volume.withMetadata(volume.metadata().minusFinalizer(Backup.FINALIZER)));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
    return true;
  }
}
