package dev.holdfast.backupstore.system;

import java.time.Instant;
import java.util.Objects;

/**
 * The description of a system backup at a target, which is written last.
 *
 * @param name of the system backup, not null
 * @param uid identifies the resource that it was made for, not null
 * @param createdAt time at which the resources were read, not null
 * @param size of the archive in bytes
 * @param checksum SHA-256 of the archive as 64 hexadecimal digits, not null
 * @param items number of resources in the archive
 * @param volumes number of volumes among them that have a backup
 * @param targetAddress address of the target when it was made, with which addresses of backups in
 *     the archive begin; not null
 */
public record SystemBackupFile(
    String name,
    String uid,
    Instant createdAt,
    long size,
    String checksum,
    int items,
    int volumes,
    String targetAddress) {
  /** Checks that nothing is missing. */
  public SystemBackupFile {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(uid, "uid");
    Objects.requireNonNull(createdAt, "createdAt");
    Objects.requireNonNull(checksum, "checksum");
    Objects.requireNonNull(targetAddress, "targetAddress");
  }
}
