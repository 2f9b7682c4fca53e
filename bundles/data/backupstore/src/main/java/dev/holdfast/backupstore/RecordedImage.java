package dev.holdfast.backupstore;

import java.util.Objects;

/**
 * The backing image below a volume, as backups record it. A backup of such a volume holds only what
 * was written above the image.
 *
 * @param name of the image, empty for none, not null
 * @param checksum SHA-512 of the file from which the image was made, empty if unknown, not null
 * @param contentChecksum checksum of the content of the image, empty if unknown, not null
 */
public record RecordedImage(String name, String checksum, String contentChecksum) {
  /** No image: the backup holds the whole volume. */
  public static final RecordedImage NONE = new RecordedImage("", "", "");

  /** Checks the components. */
  public RecordedImage {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(checksum, "checksum");
    Objects.requireNonNull(contentChecksum, "contentChecksum");
  }

  /** Returns whether no image is recorded. */
  public boolean isNone() {
    return name.isEmpty();
  }

  /**
   * Returns whether an image has the content that was recorded. An image that was made of another
   * file with the same content has it too.
   *
   * @param otherChecksum SHA-512 of the file from which that image was made, not null
   * @param otherContent checksum of its content, not null
   */
  public boolean isContentOf(String otherChecksum, String otherContent) {
    return (!checksum.isEmpty() && checksum.equals(otherChecksum))
        || (!contentChecksum.isEmpty() && contentChecksum.equals(otherContent));
  }
}
