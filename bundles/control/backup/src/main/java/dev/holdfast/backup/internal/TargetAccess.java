package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupAddresses;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;

/**
 * Address and secret with which a target is opened.
 *
 * @param address of the target, or of a backup there
 * @param secret name of the secret with its credentials; empty for none
 * @param encryption name of the secret with the keys of its packed backups; empty for none
 */
public record TargetAccess(String address, String secret, String encryption) {
  /** Returns the address and secret of a target. */
  public static TargetAccess of(BackupTarget target) {
    return of(target.spec().backupTargetURL(), target);
  }

  private static TargetAccess of(String address, BackupTarget target) {
    return new TargetAccess(
        address, target.spec().credentialSecret(), target.spec().encryptionSecret());
  }

  /** Returns the address of a backup at a target. */
  public static String addressOf(BackupTarget target, BackupName name) {
    return BackupAddresses.ofVolume(target.spec().backupTargetURL(), name.volume(), name.backup());
  }

  /** Returns the address of the backup of an image at a target. */
  static String addressOfImage(BackupTarget target, String image) {
    return BackupAddresses.ofImage(target.spec().backupTargetURL(), image);
  }

  /**
   * Returns the access to the backup of an address: with the credentials of the target with this
   * address, or without credentials.
   */
  public static TargetAccess of(String backup, ReconcileContext context) {
    return of(backup, context.list(BackupTarget.KIND, LabelSelector.ALL));
  }

  /**
   * Returns the access to the backup from which a volume is being restored: the backup of its
   * address, or the later one that is applied to a standby volume.
   */
  static TargetAccess ofRestore(Volume volume, ReconcileContext context) {
    String address = volume.spec().fromBackup();
    String backup = volume.status().restore().backup();
    return of(
        volume.isStandby() && !backup.isEmpty()
            ? BackupAddresses.withBackup(address, backup)
            : address,
        context);
  }

  /** Returns the same as {@link #of(String, ReconcileContext)}, from the resources of a store. */
  static TargetAccess of(String backup, ResourceStore store) throws StorageException {
    return of(backup, store.list(BackupTarget.KIND, LabelSelector.ALL).items());
  }

  private static TargetAccess of(String backup, List<BackupTarget> targets) {
    String target = BackupAddresses.targetOf(backup);
    return targets.stream()
        .filter(known -> known.spec().backupTargetURL().equals(target))
        .findFirst()
        .map(known -> of(backup, known))
        .orElseGet(() -> new TargetAccess(backup, "", ""));
  }
}
