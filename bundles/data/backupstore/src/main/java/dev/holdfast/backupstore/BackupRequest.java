package dev.holdfast.backupstore;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Describes a backup that is to be written.
 *
 * @param name of volume and backup, not null
 * @param snapshot name of the snapshot, not null
 * @param snapshotUid identity of the snapshot, by which a later backup trusts it; empty if unknown;
 *     not null
 * @param snapshotCreatedAt when the snapshot was taken, not null
 * @param labels kept with the backup, not null
 * @param full whether blocks that the target has are written again
 * @param blockSize bytes of a block if this is the volume's first backup: 2 or 16 MiB
 * @param compression of the blocks if this is the volume's first backup, not null
 * @param image backing image of the volume: its bytes stay out of the backup, unless earlier
 *     backups of the volume at the target hold them; not null
 */
public record BackupRequest(
    BackupName name,
    String snapshot,
    String snapshotUid,
    Instant snapshotCreatedAt,
    Map<String, String> labels,
    boolean full,
    int blockSize,
    Compression compression,
    RecordedImage image) {
  private static final int SMALL = 2 << 20;
  private static final int LARGE = 16 << 20;

  /** Checks and copies the components. */
  public BackupRequest {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(snapshot, "snapshot");
    Objects.requireNonNull(snapshotUid, "snapshotUid");
    Objects.requireNonNull(snapshotCreatedAt, "snapshotCreatedAt");
    labels = new TreeMap<>(labels);
    Objects.requireNonNull(compression, "compression");
    Objects.requireNonNull(image, "image");
  }

  /** Refuses what the layout cannot hold. */
  void check() throws StorageException {
    BackupName.check("volume", name.volume());
    BackupName.check("backup", name.backup());
    if (blockSize != SMALL && blockSize != LARGE) {
      throw new StorageException(
          ErrorCode.INVALID,
          "backup " + name + ": block size " + blockSize + ": expected " + SMALL + " or " + LARGE);
    }
  }
}
