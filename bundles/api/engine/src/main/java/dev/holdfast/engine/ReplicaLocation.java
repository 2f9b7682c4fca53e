package dev.holdfast.engine;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Place of a replica.
 *
 * @param volume name of the volume, not null
 * @param replica name of the replica, unique in the cluster, not null
 * @param nodeId name of the node that has the disk, not null
 * @param diskPath the disk's directory on that node, absolute, not null
 * @param directoryName the replica's folder below {@code <diskPath>/replicas}, not null
 * @param witness whether it keeps no data, only its vote on which replicas are current
 */
public record ReplicaLocation(
    String volume,
    String replica,
    String nodeId,
    Path diskPath,
    String directoryName,
    boolean witness) {
  /** A replica that keeps data. */
  public ReplicaLocation(
      String volume, String replica, String nodeId, Path diskPath, String directoryName) {
    this(volume, replica, nodeId, diskPath, directoryName, false);
  }

  /** Checks that nothing is missing and that the folder stays inside the disk. */
  public ReplicaLocation {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(replica, "replica");
    Objects.requireNonNull(nodeId, "nodeId");
    Objects.requireNonNull(diskPath, "diskPath");
    if (!diskPath.isAbsolute()) {
      throw new IllegalArgumentException("diskPath: must be absolute: " + diskPath);
    }
    if (directoryName.isEmpty()
        || directoryName.startsWith(".")
        || directoryName.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "directoryName: must be one visible path element: " + directoryName);
    }
  }

  /** Returns the replica's directory, as Longhorn lays out a disk, never null. */
  public Path directory() {
    return diskPath.resolve("replicas").resolve(directoryName);
  }
}
