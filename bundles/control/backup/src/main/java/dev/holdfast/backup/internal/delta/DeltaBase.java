package dev.holdfast.backup.internal.delta;

import dev.holdfast.backup.internal.objects.ObjectDamage;
import dev.holdfast.backupstore.BackupCatalog;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.restore.StandbyStatus;
import java.util.BitSet;
import java.util.Optional;

/**
 * Finds the backup at the target whose list of blocks matches the content of a volume. The checksum
 * of its list identifies the backup, because another backup may have its name. A test plants
 * defects here.
 */
public class DeltaBase {
  /** Returns whether a backup has the content whose checksum was recorded. */
  protected boolean isRecognized(StoredBackup found, String checksum) {
    return found.contentChecksum().equals(checksum);
  }

  /**
   * Returns the backup whose content a volume has. Returns empty if the target no longer has the
   * backup, so that the blocks of the volume are compared instead.
   *
   * @param backups of the target, not null
   * @param standby status with the current content of the volume, not null
   * @param next the backup that is applied, not null
   * @throws StorageException while the target cannot be read
   */
  public Optional<StoredBackup> find(
      BackupCatalog backups, StandbyStatus standby, StoredBackup next) throws StorageException {
    String volume = next.summary().name().volume();
    try {
      return Optional.of(backups.backup(new BackupName(volume, standby.lastRestored())))
          .filter(found -> isRecognized(found, standby.lastRestoredBlocks()))
          .filter(found -> found.summary().blockSize() == next.summary().blockSize());
    } catch (StorageException e) {
      ObjectDamage.require(e);
      return Optional.empty();
    }
  }

  /**
   * Returns the regions in which a backup has the same content as a volume.
   *
   * @param next the backup that is applied, not null
   * @param base the backup whose content the volume has; empty if unknown
   * @param regionSize in bytes, a multiple of the size of blocks
   */
  public static BitSet unchanged(StoredBackup next, Optional<StoredBackup> base, long regionSize) {
    BitSet unchanged = new BitSet();
    if (base.isPresent()) {
      long size = next.volumeSizeBytes();
      RegionCopyPlan plan = new RegionCopyPlan(size, regionSize, unchanged);
      unchanged.set(0, plan.regions());
      next.differing(
          base.get(), 0, size, (offset, length) -> unchanged.clear(plan.regionOf(offset)));
    }
    return unchanged;
  }
}
