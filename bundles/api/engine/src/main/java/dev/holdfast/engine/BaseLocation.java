package dev.holdfast.engine;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Place of a base on a disk. The name of the image and the identifier of the image's content
 * identify a base. An image that was deleted and created again under the same name has a new
 * identifier.
 *
 * @param image name of the image: lower-case letters, digits, {@code -} and {@code .}, not null
 * @param uuid identifier of the image: letters, digits and {@code -}, not null
 * @param disk the disk as its node reaches it, not null
 * @param contentChecksum of the raw content, empty if the caller does not know it; the engine only
 *     compares the text; not null
 * @since 2.2
 */
public record BaseLocation(String image, String uuid, DiskLocation disk, String contentChecksum) {
  private static final int LONGEST_CHECKSUM = 256;
  private static final Pattern IMAGE = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
  private static final Pattern UUID =
      Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?");
  private static final Pattern CHECKSUM = Pattern.compile("[\\x21-\\x7e]*");

  /** Rejects null components and names that would lead outside the disk. */
  public BaseLocation {
    Objects.requireNonNull(disk, "disk");
    check("image", image, IMAGE);
    check("uuid", uuid, UUID);
    check("contentChecksum", contentChecksum, CHECKSUM);
    if (contentChecksum.length() > LONGEST_CHECKSUM) {
      throw new IllegalArgumentException(
          "contentChecksum: must have at most " + LONGEST_CHECKSUM + " characters");
    }
  }

  private static void check(String field, String value, Pattern pattern) {
    Objects.requireNonNull(value, field);
    if (!pattern.matcher(value).matches()) {
      throw new IllegalArgumentException(
          field + ": must match " + pattern.pattern() + ": " + value.replaceAll("\\P{Print}", "?"));
    }
  }

  /**
   * Returns the same place with a content checksum, never null.
   *
   * @param checksum of the raw content, not null
   */
  public BaseLocation withContentChecksum(String checksum) {
    return new BaseLocation(image, uuid, disk, checksum);
  }
}
