package dev.holdfast.node.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.resource.node.DiskStatus;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filesystem of a disk. The mount point distinguishes an unmounted disk from a mounted one,
 * even if a copy of the disk's identifier is below the mount point.
 *
 * @param identity its type and UUID, or its type and source without a UUID; empty if unknown
 * @param mountPoint mount point; empty if unknown, as in a chroot
 */
record DiskFilesystem(String identity, String mountPoint) {
  private static final DiskFilesystem UNKNOWN = new DiskFilesystem("", "");
  private static final Logger LOG = LoggerFactory.getLogger(DiskFilesystem.class);
  private static final Path UUIDS = Path.of("/dev/disk/by-uuid");

  /** Returns the filesystem recorded when the disk was last ready. */
  static DiskFilesystem recorded(DiskStatus status) {
    return new DiskFilesystem(status.filesystem(), status.mountPoint());
  }

  /** Returns the present filesystem of a path; without an identity if that cannot be determined. */
  static DiskFilesystem of(Path path) throws IOException {
    Path real = path.toRealPath();
    try {
      MountTable table = MountTable.read();
      return table.mounts().stream()
          .map(MountTable.Mount::directory)
          .filter(real::startsWith)
          .max(Comparator.comparingInt(Path::getNameCount))
          .flatMap(table::at)
          .map(mount -> new DiskFilesystem(identity(mount), mount.directory().toString()))
          .orElse(UNKNOWN);
    } catch (StorageException e) {
      LOG.debug("{}: its filesystem is not known: {}", path, e.getMessage());
      return UNKNOWN;
    }
  }

  private static String identity(MountTable.Mount mount) {
    String source = uuid(mount.source()).map(uuid -> "UUID=" + uuid).orElse(mount.source());
    return mount.filesystem() + " " + source;
  }

  private static Optional<String> uuid(String source) {
    if (!source.startsWith("/dev/")) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> links = Files.newDirectoryStream(UUIDS)) {
      Path device = Path.of(source).toRealPath();
      for (Path link : links) {
        if (link.toRealPath().equals(device)) {
          return Optional.of(link.getFileName().toString());
        }
      }
    } catch (IOException | InvalidPathException e) {
      // Without udev, or with a hidden device in a container, the source identifies the filesystem.
      return Optional.empty();
    }
    return Optional.empty();
  }

  boolean isKnown() {
    return !mountPoint.isEmpty();
  }

  /**
   * Returns whether this filesystem is unmounted, so that the path is on a parent filesystem. A
   * host and its containers may see the same filesystem at different places.
   */
  boolean isUnmounted(DiskFilesystem present) {
    return !mountPoint.isEmpty()
        && !present.mountPoint.isEmpty()
        && !present.mountPoint.equals(mountPoint)
        && isBelow(present.mountPoint)
        && !(present.identity.equals(identity) && isIdentified());
  }

  private boolean isBelow(String directory) {
    try {
      return Path.of(mountPoint).startsWith(directory);
    } catch (InvalidPathException e) {
      return false; // the name is invalid in this locale, and also missing in the table of mounts
    }
  }

  /** Returns whether the identity is unique to this filesystem, unlike {@code tmpfs tmpfs}. */
  private boolean isIdentified() {
    return DiskStatus.EMPTY.withFilesystem(identity).sharedFilesystem().isPresent();
  }

  /** Returns the administrator's remedy for an unmounted filesystem. */
  String remedy() {
    return mountPoint.isEmpty() || mountPoint.equals("/")
        ? "mount the disk's filesystem"
        : "mount its filesystem (" + identity + ") on " + mountPoint;
  }
}
