package dev.holdfast.engine;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Place of a replica.
 *
 * @param volume name of the volume, not null
 * @param replica name of the replica, unique in the cluster, not null
 * @param disk the disk as its node reaches it; for a disk that several nodes see, as the calling
 *     node reaches it; not null
 * @param directoryName the replica's name on the disk; for a directory the folder below {@code
 *     <path>/replicas}; one path element that does not start with a dot, not null
 * @param witness whether it is a witness, which stores epochs without data
 */
public record ReplicaLocation(
    String volume, String replica, DiskLocation disk, String directoryName, boolean witness) {
  /** Creates the location of a replica with data in a directory. */
  public ReplicaLocation(
      String volume, String replica, String nodeId, Path diskPath, String directoryName) {
    this(volume, replica, nodeId, diskPath, directoryName, false);
  }

  /** Creates the location of a replica in a directory. */
  public ReplicaLocation(
      String volume,
      String replica,
      String nodeId,
      Path diskPath,
      String directoryName,
      boolean witness) {
    this(volume, replica, DiskLocation.directory(nodeId, diskPath), directoryName, witness);
  }

  /** Rejects null components and a directory name that would lead outside the disk. */
  public ReplicaLocation {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(replica, "replica");
    Objects.requireNonNull(disk, "disk");
    if (directoryName.isEmpty()
        || directoryName.startsWith(".")
        || directoryName.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "directoryName: must be one visible path element: " + directoryName);
    }
  }

  /** Returns the name of the node that reaches the disk, never null. */
  public String nodeId() {
    return disk.nodeId();
  }

  /** Returns the disk's directory, device or volume group on that node, absolute, never null. */
  public Path diskPath() {
    return disk.path();
  }

  /**
   * Returns the replica's directory, in Longhorn's disk layout, never null.
   *
   * @throws IllegalStateException when the disk is not a directory
   */
  public Path directory() {
    if (disk.kind() != DiskKind.DIRECTORY) {
      throw new IllegalStateException(
          "replica " + replica + ": disk " + disk.path() + " is not a directory: " + disk.kind());
    }
    return disk.path().resolve("replicas").resolve(directoryName);
  }
}
