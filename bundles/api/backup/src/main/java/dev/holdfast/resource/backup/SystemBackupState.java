package dev.holdfast.resource.backup;

/** State of a system backup. */
public enum SystemBackupState {
  /** The work has not begun. */
  NONE(""),
  /** The backups of volumes are being made. */
  VOLUME_BACKUPS("VolumeBackups"),
  /** The resources are being read and sent. */
  UPLOADING("Uploading"),
  /** The system backup was written and read back from the target. */
  READY("Ready"),
  /** The last attempt failed. */
  ERROR("Error");

  private final String wireName;

  SystemBackupState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
