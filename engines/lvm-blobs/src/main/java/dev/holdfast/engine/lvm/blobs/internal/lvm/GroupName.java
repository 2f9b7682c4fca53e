package dev.holdfast.engine.lvm.blobs.internal.lvm;

import java.util.regex.Pattern;

/** The rule for names of volume groups. */
public final class GroupName {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_+.][A-Za-z0-9_+.-]{0,39}");

  private GroupName() {}

  /**
   * Checks a name.
   *
   * @throws IllegalArgumentException if LVM would not take it, or if it is too long for our devices
   */
  public static void require(String group) {
    if (!FORM.matcher(group).matches()) {
      throw new IllegalArgumentException(
          "group: \""
              + group
              + "\": must be the name of a volume group with at most 40 characters");
    }
  }
}
