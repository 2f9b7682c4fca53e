package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.DamagedBlock;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.CopyRecord;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.restore.RestoreDamaged;
import dev.holdfast.resource.volume.RestoreStatus;
import dev.holdfast.resource.volume.Volume;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the damaged blocks of a backup before they become zeroes in a volume. After a crash in
 * between, a recorded block is read again.
 */
final class RestoreDamage implements RestoredBackup.Damage {
  private static final int MOST_NAMED = 100;

  private final AttachedVolumes volumes;
  private final CopyRecord record;

  RestoreDamage(AttachedVolumes volumes, CopyRecord record) {
    this.volumes = volumes;
    this.record = record;
  }

  @Override
  public boolean becomesZeroes(DamagedBlock block) throws StorageException {
    while (true) {
      Volume present = record.current();
      if (present.spec().restoreDamaged() != RestoreDamaged.ZERO) {
        return false;
      }
      RestoreStatus status = present.status().restore();
      if (status.damaged().contains(block.toString())) {
        return true;
      }
      List<String> named = new ArrayList<>(status.damaged());
      if (named.size() < MOST_NAMED) {
        named.add(block.toString());
      }
      RestoreStatus next = status.withDamaged(named).withDamagedBlocks(status.damagedBlocks() + 1);
      try {
        volumes.store().updateStatus(present.withStatus(present.status().withRestore(next)));
        return true;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT) {
          throw e;
        }
      }
    }
  }
}
