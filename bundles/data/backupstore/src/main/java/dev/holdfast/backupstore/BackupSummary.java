package dev.holdfast.backupstore;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A backup without its list of blocks.
 *
 * @param name names of volume and backup, not null
 * @param snapshot name of the snapshot that it holds, not null
 * @param snapshotUid identity of that snapshot, empty where the backup does not record it, not null
 * @param snapshotCreatedAt when the snapshot was taken, as stored at the target, not null
 * @param createdAt when the backup was complete, empty while it is in progress, not null
 * @param sizeBytes sum of its blocks before compression, not negative
 * @param blockSize bytes of a block, a power of two
 * @param volumeSizeBytes exact size of the volume where the backup records it, otherwise 0
 * @param compression how its blocks are stored, not null
 * @param incremental whether only changed blocks were read for it
 * @param labels that its writer kept with it, not null
 */
public record BackupSummary(
    BackupName name,
    String snapshot,
    String snapshotUid,
    String snapshotCreatedAt,
    String createdAt,
    long sizeBytes,
    int blockSize,
    long volumeSizeBytes,
    Compression compression,
    boolean incremental,
    Map<String, String> labels) {
  /** Checks and copies the components. */
  public BackupSummary {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(snapshot, "snapshot");
    Objects.requireNonNull(snapshotUid, "snapshotUid");
    Objects.requireNonNull(snapshotCreatedAt, "snapshotCreatedAt");
    Objects.requireNonNull(createdAt, "createdAt");
    Objects.requireNonNull(compression, "compression");
    labels = Map.copyOf(labels);
  }

  /** Returns when the snapshot was taken; empty for a text that is not a time, never null. */
  public Optional<Instant> snapshotTime() {
    return time(snapshotCreatedAt);
  }

  /**
   * Reads a time as targets have it.
   *
   * @param text of a configuration, not null
   * @return the time; empty for another text, never null
   */
  public static Optional<Instant> time(String text) {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Returns whether its writer has not completed it, or died before. */
  public boolean inProgress() {
    return createdAt.isEmpty();
  }
}
