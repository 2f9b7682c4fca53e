package dev.holdfast.backup.internal.standby;

import dev.holdfast.backup.internal.InstalledTargets;
import dev.holdfast.backup.internal.TargetAccess;
import dev.holdfast.backup.internal.delta.DeltaBase;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.restore.StandbyStatus;
import java.util.BitSet;
import java.util.Optional;

/**
 * A backup that is newer than the content of a standby volume.
 *
 * @param summary its description at the target
 * @param checksum of its content
 * @param size of the volume in it
 * @param regionSize size of the regions in which it is applied
 * @param unchanged regions that the volume already has
 * @param base name of the backup whose content the volume has
 * @param baseChecksum of that content
 */
record NewerBackup(
    BackupSummary summary,
    String checksum,
    Quantity size,
    Quantity regionSize,
    BitSet unchanged,
    String base,
    String baseChecksum) {

  /**
   * Reads the target.
   *
   * @return the newest backup of the followed volume; empty if the standby volume has it
   * @throws StorageException while the target cannot be read; UNSUPPORTED for a backup above an
   *     image; IO for a damaged one
   */
  static Optional<NewerBackup> find(
      InstalledTargets targets, TargetAccess access, StandbyStatus standby, DeltaBase bases)
      throws StorageException {
    String volume = TargetUrl.parse(access.address()).parameter(TargetUrl.VOLUME);
    try (ObjectStore store = targets.open(access)) {
      LaidOutBackups backups = new LaidOutBackups(store);
      String last = backups.volume(volume).lastBackup();
      if (last.isEmpty() || last.equals(standby.lastRestored())) {
        return Optional.empty();
      }
      StoredBackup backup = backups.backup(new BackupName(volume, last));
      if (!isLater(backup.summary(), standby)) {
        return Optional.empty();
      }
      if (!backup.image().isNone()) {
        throw new StorageException(
            ErrorCode.UNSUPPORTED,
            "backup " + last + " is based on an image and cannot be followed");
      }
      return Optional.of(of(backup, bases.find(backups, standby, backup), standby));
    }
  }

  private static NewerBackup of(
      StoredBackup backup, Optional<StoredBackup> base, StandbyStatus standby) {
    Quantity size = new Quantity(backup.volumeSizeBytes());
    long region =
        Math.max(RegionCopyPlan.regionSizeFor(size).bytes(), backup.summary().blockSize());
    return new NewerBackup(
        backup.summary(),
        backup.contentChecksum(),
        size,
        new Quantity(region),
        DeltaBase.unchanged(backup, base, region),
        standby.lastRestored(),
        standby.lastRestoredBlocks());
  }

  /**
   * Returns whether the backup is later than the applied one. The target names an older backup
   * after the newest one was deleted.
   */
  private static boolean isLater(BackupSummary backup, StandbyStatus standby) {
    return standby.lastRestoredAt().isEmpty()
        || backup
            .snapshotTime()
            .filter(taken -> !taken.isBefore(standby.lastRestoredAt().get()))
            .isPresent();
  }

  /**
   * Returns whether the volume still has the content with which the backup was compared. Another
   * node may have changed it since.
   */
  boolean isBasedOn(StandbyStatus standby) {
    return base.equals(standby.lastRestored()) && baseChecksum.equals(standby.lastRestoredBlocks());
  }

  /** Returns whether the volume already has all of its content. */
  boolean isEqual() {
    long regions = (size.bytes() + regionSize.bytes() - 1) / regionSize.bytes();
    return unchanged.cardinality() == regions;
  }
}
