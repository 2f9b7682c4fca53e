package dev.holdfast.backupstore;

import java.util.Objects;

/**
 * A backup that was written and read back.
 *
 * @param summary of the backup as the target has it, not null
 * @param base name of the backup with whose snapshot it was compared, empty if all allocated blocks
 *     were read, not null
 * @param reason why it was not compared with a snapshot, empty if it was, not null
 * @param readBytes how much of the snapshot was read
 * @param newBytes size of the stored blocks that the target did not have
 * @param repeatedBytes size of the stored blocks that were written again
 */
public record WrittenBackup(
    BackupSummary summary,
    String base,
    String reason,
    long readBytes,
    long newBytes,
    long repeatedBytes) {
  /** Checks the components. */
  public WrittenBackup {
    Objects.requireNonNull(summary, "summary");
    Objects.requireNonNull(base, "base");
    Objects.requireNonNull(reason, "reason");
  }
}
