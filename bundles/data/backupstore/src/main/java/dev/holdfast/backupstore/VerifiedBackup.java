package dev.holdfast.backupstore;

import java.util.List;
import java.util.Objects;

/**
 * The result of the verification of one backup.
 *
 * @param backup that was verified, not null
 * @param blocks how many blocks it has
 * @param checked how many of them were compared with their checksums: all, or a sample
 * @param damaged those that are missing or have other bytes, by their offsets, not null
 */
public record VerifiedBackup(
    BackupName backup, int blocks, int checked, List<DamagedBlock> damaged) {
  /** Checks and copies the components. */
  public VerifiedBackup {
    Objects.requireNonNull(backup, "backup");
    damaged = List.copyOf(damaged);
  }

  /** Returns whether all blocks were compared, and are what they were. */
  public boolean intact() {
    return damaged.isEmpty() && checked == blocks;
  }
}
