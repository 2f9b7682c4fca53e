package dev.holdfast.resource.node;

/** Kinds of disks. */
public enum DiskType {
  /** A directory of a mounted filesystem. */
  DIRECTORY("directory"),
  /** A block device that one engine uses alone. */
  DEVICE("device"),
  /** A volume group of LVM. */
  VOLUME_GROUP("volume-group");

  private final String wireName;

  DiskType(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}
