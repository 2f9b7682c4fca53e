package dev.holdfast.frontend.iscsi.internal;

import java.util.Optional;

/** How exports are called as iSCSI targets (RFC 7143, 4.2.7.1). */
final class TargetNames {
  private static final String PREFIX = "iqn.2026-01.dev.holdfast:";

  private TargetNames() {}

  static String of(String export) {
    return PREFIX + export;
  }

  static Optional<String> export(String target) {
    return Optional.of(target)
        .filter(name -> name.startsWith(PREFIX))
        .map(name -> name.substring(PREFIX.length()));
  }
}
