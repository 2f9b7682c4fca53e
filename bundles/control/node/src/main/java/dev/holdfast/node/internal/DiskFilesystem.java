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
 * The filesystem that a disk is on. Its mount point distinguishes an unmounted disk from a mounted
 * one, also where a copy of the disk's identifier is below the mount point.
 *
 * @param identity its type and UUID, its type and source where it has no UUID; empty when unknown
 * @param mountPoint where it is mounted; empty when unknown, as in a chroot
 */
record DiskFilesystem(String identity, String mountPoint) {
  private static final DiskFilesystem UNKNOWN = new DiskFilesystem("", "");
  private static final Logger LOG = LoggerFactory.getLogger(DiskFilesystem.class);
  private static final Path UUIDS = Path.of("/dev/disk/by-uuid");

  /** Returns what was recorded when the disk was last ready. */
  static DiskFilesystem recorded(DiskStatus status) {
    return new DiskFilesystem(status.filesystem(), status.mountPoint());
  }

  /** Returns the filesystem that a path is on now; without a name where that cannot be learned. */
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
      // No udev, or the device is out of sight in a container: the source has to do.
      return Optional.empty();
    }
    return Optional.empty();
  }

  boolean isKnown() {
    return !mountPoint.isEmpty();
  }

  /**
   * Returns whether this filesystem is not mounted, so that the path is on one further up. A host
   * and its containers see one filesystem at different places: that is the same one.
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
      return false; // not a name in this locale: the table of mounts does not have it either
    }
  }

  /** Returns whether the identity is of this filesystem alone, unlike {@code tmpfs tmpfs}. */
  private boolean isIdentified() {
    return DiskStatus.EMPTY.withFilesystem(identity).sharedFilesystem().isPresent();
  }

  /** Returns the remedy for the administrator when it is not mounted. */
  String remedy() {
    return mountPoint.isEmpty() || mountPoint.equals("/")
        ? "mount the disk's filesystem"
        : "mount its filesystem (" + identity + ") on " + mountPoint;
  }
}
