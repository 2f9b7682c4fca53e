package dev.holdfast.backupstore.image;

import dev.holdfast.backupstore.Compression;
import java.util.Map;
import java.util.Objects;

/**
 * Describes a backup of an image that is to be written.
 *
 * @param image its name, not null
 * @param checksum SHA-512 of all bytes of its disk, empty to compute it, not null
 * @param contentChecksum checksum by which clusters of Holdfast compare images, not null
 * @param compression of blocks that the target does not have, one of Longhorn's, not null
 * @param labels kept with the backup, not null
 */
public record ImageBackupRequest(
    String image,
    String checksum,
    String contentChecksum,
    Compression compression,
    Map<String, String> labels) {
  /** Checks and copies the components. */
  public ImageBackupRequest {
    Objects.requireNonNull(image, "image");
    Objects.requireNonNull(checksum, "checksum");
    Objects.requireNonNull(contentChecksum, "contentChecksum");
    if (!compression.isLonghorn()) {
      throw new IllegalArgumentException("compression " + compression + " is not Longhorn's");
    }
    labels = Map.copyOf(labels);
  }
}
