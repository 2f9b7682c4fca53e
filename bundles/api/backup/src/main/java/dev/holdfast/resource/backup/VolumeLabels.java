package dev.holdfast.resource.backup;

import java.util.Map;

/** Labels by which system backups and restores select volumes. */
final class VolumeLabels {
  private VolumeLabels() {}

  /** Returns whether labels are among others; none are among all. */
  static boolean areAmong(Map<String, String> wanted, Map<String, String> labels) {
    return labels.entrySet().containsAll(wanted.entrySet());
  }

  /** Returns whether each label has a name. */
  static boolean areNamed(Map<String, String> wanted) {
    return wanted.keySet().stream().noneMatch(String::isBlank);
  }
}
