package dev.holdfast.backupstore;

import java.util.Objects;

/**
 * A volume that has backups, as its configuration on the target describes it.
 *
 * @param name of the volume, not null
 * @param sizeBytes size of the volume at its last backup, more than 0
 * @param createdAt when the volume was created, as stored at the target, empty without such a
 *     value, not null
 * @param lastBackup name of the newest backup, empty for none, not null
 * @param backingImage name of the image below the volume, empty for none, not null
 * @param backingImageChecksum SHA-512 of the file from which that image was made, empty if the
 *     target says nothing, not null
 * @param dataEngine name of the engine that wrote it, empty without such a value, not null
 */
public record StoredVolume(
    String name,
    long sizeBytes,
    String createdAt,
    String lastBackup,
    String backingImage,
    String backingImageChecksum,
    String dataEngine) {
  /** Checks the components. */
  public StoredVolume {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(createdAt, "createdAt");
    Objects.requireNonNull(lastBackup, "lastBackup");
    Objects.requireNonNull(backingImage, "backingImage");
    Objects.requireNonNull(backingImageChecksum, "backingImageChecksum");
    Objects.requireNonNull(dataEngine, "dataEngine");
  }
}
