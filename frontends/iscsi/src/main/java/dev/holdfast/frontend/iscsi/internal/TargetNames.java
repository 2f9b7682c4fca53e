package dev.holdfast.frontend.iscsi.internal;

import java.util.Optional;

/** Converts between export names and iSCSI target names (RFC 7143, 4.2.7.1). */
final class TargetNames {
  private static final String PREFIX = "iqn.2026-01.dev.holdfast:";
  private static final int LONGEST = 223;

  private TargetNames() {}

  /**
   * Returns the target's name.
   *
   * @throws IllegalArgumentException when it would exceed the length of iSCSI names
   */
  static String of(String export) {
    if (PREFIX.length() + export.length() > LONGEST) {
      throw new IllegalArgumentException(
          "export "
              + export
              + " has no iSCSI name: the most is "
              + (LONGEST - PREFIX.length())
              + " characters; choose another frontend or a shorter name");
    }
    return PREFIX + export;
  }

  static Optional<String> export(String target) {
    return Optional.of(target)
        .filter(name -> name.startsWith(PREFIX))
        .map(name -> name.substring(PREFIX.length()));
  }
}
