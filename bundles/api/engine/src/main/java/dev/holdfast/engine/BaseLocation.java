package dev.holdfast.engine;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Place of a base on a disk. A base is known by the name of its image and the identifier of that
 * image's content; an image that was deleted and made again under its name has another identifier.
 *
 * @param image name of the image: lower-case letters, digits, {@code -} and {@code .}, not null
 * @param uuid identifier of the image: letters, digits and {@code -}, not null
 * @param disk the disk, as the node that has it reaches it, not null
 * @param contentChecksum of the raw content, empty when the caller does not know it; a text that
 *     the engine only compares; not null
 * @since 2.2
 */
public record BaseLocation(String image, String uuid, DiskLocation disk, String contentChecksum) {
  private static final int LONGEST_CHECKSUM = 256;
  private static final Pattern IMAGE = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
  private static final Pattern UUID =
      Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?");
  private static final Pattern CHECKSUM = Pattern.compile("[\\x21-\\x7e]*");

  /** Checks that nothing is missing and that the names stay inside the disk. */
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
   * Returns the same place with the checksum of its content, never null.
   *
   * @param checksum of the raw content, not null
   */
  public BaseLocation withContentChecksum(String checksum) {
    return new BaseLocation(image, uuid, disk, checksum);
  }
}
