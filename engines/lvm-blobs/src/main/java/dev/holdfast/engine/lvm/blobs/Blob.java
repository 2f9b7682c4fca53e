package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupName;
import java.util.regex.Pattern;

/**
 * Name of a blob: a range of bytes in a volume group.
 *
 * @param group name of the volume group
 * @param name of the blob in the group: 1 to 40 lower-case letters, digits and hyphens, with a
 *     letter or digit at both ends
 */
public record Blob(String group, String name) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");

  /** Checks both names. */
  public Blob {
    GroupName.require(group);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "name: \""
              + name
              + "\": must be 1 to 40 lower-case letters, digits and hyphens,"
              + " with a letter or digit at both ends");
    }
  }

  /** Returns group and name, for messages. */
  @Override
  public String toString() {
    return group + "/" + name;
  }
}
