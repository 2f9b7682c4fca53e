package dev.holdfast.resource.backup;

import java.util.Map;

/** Labels by which system backups and restores select volumes. */
final class VolumeLabels {
  private VolumeLabels() {}

  /**
   * Returns whether a volume's labels contain all wanted labels. An empty selector matches all
   * volumes.
   */
  static boolean areAmong(Map<String, String> wanted, Map<String, String> labels) {
    return labels.entrySet().containsAll(wanted.entrySet());
  }

  /** Returns whether all keys of the selector are non-empty. */
  static boolean areNamed(Map<String, String> wanted) {
    return wanted.keySet().stream().noneMatch(String::isBlank);
  }
}
