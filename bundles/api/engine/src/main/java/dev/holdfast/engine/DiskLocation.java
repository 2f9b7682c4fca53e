package dev.holdfast.engine;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A disk as one node reaches it. The same disk may have another path and another identifier on
 * another node; {@link DiskInfo#identity()} identifies the disk.
 *
 * @param nodeId name of the node that reaches it, not null
 * @param diskId identifier of the disk on that node, empty if the caller does not know it, not null
 * @param kind kind of the disk, not null
 * @param path path of its directory, device or volume group on that node, absolute, not null
 * @since 2.1
 */
public record DiskLocation(String nodeId, String diskId, DiskKind kind, Path path) {
  /** Rejects null components and a relative path. */
  public DiskLocation {
    Objects.requireNonNull(nodeId, "nodeId");
    Objects.requireNonNull(diskId, "diskId");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(path, "path");
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException("path: must be absolute: " + path);
    }
  }

  /** Returns the location of a directory without a disk identifier, never null. */
  public static DiskLocation directory(String nodeId, Path path) {
    return new DiskLocation(nodeId, "", DiskKind.DIRECTORY, path);
  }
}
