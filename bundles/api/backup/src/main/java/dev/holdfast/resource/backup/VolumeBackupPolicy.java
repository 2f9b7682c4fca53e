package dev.holdfast.resource.backup;

/** Volumes that are backed up before a system backup is written. */
public enum VolumeBackupPolicy {
  /** Volumes that have no complete backup at their target. */
  IF_NOT_PRESENT("if-not-present"),
  /** All volumes. */
  ALWAYS("always"),
  /** No volume. */
  DISABLED("disabled");

  private final String wireName;

  VolumeBackupPolicy(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
