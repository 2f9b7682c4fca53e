package dev.holdfast.resource.backup;

/** Treatment of the volumes of a system backup. */
public enum RestoredVolumes {
  /** Volumes are created with the content of the backups that the system backup names. */
  RESTORE("restore"),
  /** Volumes are omitted. */
  NONE("none");

  private final String wireName;

  RestoredVolumes(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
