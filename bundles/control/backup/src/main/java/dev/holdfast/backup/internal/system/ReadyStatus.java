package dev.holdfast.backup.internal.system;

import dev.holdfast.backupstore.system.SystemBackupFile;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.SystemBackupState;
import dev.holdfast.resource.backup.SystemBackupStatus;
import java.util.Optional;

/** The status of system backups that their target has. */
final class ReadyStatus {
  private ReadyStatus() {}

  /** Returns the status of a system backup that the target has. */
  static SystemBackupStatus of(SystemBackupStatus status, SystemBackupFile file) {
    return status
        .withState(SystemBackupState.READY)
        .withCreatedAt(Optional.of(file.createdAt()))
        .withChecksum(file.checksum())
        .withSize(new Quantity(file.size()))
        .withItems(file.items())
        .withVolumes(file.volumes())
        .withNextAttemptAt(Optional.empty())
        .withError("");
  }
}
