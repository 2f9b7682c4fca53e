package dev.holdfast.node.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Checks a disk. The directory and the identifier are created only for a new disk. If they are
 * missing later, the disk is unmounted, and a write would go to the wrong filesystem.
 */
final class DiskProbe {
  static final String READY = Condition.READY;
  private static final String ABSENT = "DiskAbsent";
  private static final long NOTICEABLE_PART = 256;

  private DiskProbe() {}

  /** Fault of a disk. */
  record Fault(String reason, String message) {}

  /** Returns the present observation; small changes of free space keep the earlier one. */
  static DiskStatus observe(String id, DiskSpec spec, DiskStatus earlier, Instant now) {
    String uuid = earlier.diskUUID();
    Optional<Fault> fault = Optional.empty();
    Quantity maximum = earlier.storageMaximum();
    Quantity available = Quantity.ZERO;
    DiskFilesystem filesystem = DiskFilesystem.recorded(earlier);
    try {
      Path path = Path.of(spec.path());
      if (uuid.isEmpty()) {
        fault = unregistered(id, spec);
        uuid = fault.isEmpty() ? DiskIdentity.readOrCreate(path) : "";
      }
      fault = uuid.isEmpty() ? fault : fault(path, earlier.withDiskUUID(uuid));
      if (fault.isEmpty()) {
        filesystem = filesystem(path, earlier);
        DiskAccess.close(path);
        maximum = size(path);
        available = settled(earlier, maximum.bytes(), path.toFile().getUsableSpace());
      }
    } catch (IOException e) {
      fault = fault("DiskFailed", spec.path() + ": " + e);
    } catch (InvalidPathException e) {
      fault = fault("DiskFailed", unnameable(spec, e));
    }
    return DiskStatus.EMPTY
        .withDiskUUID(uuid)
        .withPath(spec.path())
        .withStorageMaximum(maximum)
        .withStorageAvailable(available)
        .withConditions(conditions(earlier.conditions(), fault, now))
        .withFilesystem(filesystem.identity())
        .withMountPoint(filesystem.mountPoint());
  }

  /** Replaces unknown values by those from the time when the disk was last ready. */
  private static DiskFilesystem filesystem(Path path, DiskStatus earlier) throws IOException {
    DiskFilesystem present = DiskFilesystem.of(path);
    boolean same = earlier.path().equals(path.toString());
    return present.isKnown() || !same ? present : DiskFilesystem.recorded(earlier);
  }

  private static String unnameable(DiskSpec spec, InvalidPathException e) {
    return spec.path()
        + ": this node cannot use such a name ("
        + e.getReason()
        + "): start it with LC_ALL=C.UTF-8";
  }

  /**
   * Creates the directory of a new disk if its spec requests that; otherwise the directory must
   * exist.
   */
  private static Optional<Fault> unregistered(String id, DiskSpec spec) throws IOException {
    Path path = Path.of(spec.path());
    if (spec.create()) {
      Files.createDirectories(path);
    }
    return Files.exists(path)
        ? Optional.empty()
        : fault(
            ABSENT,
            path
                + " does not exist on this node: mount the disk's filesystem, or have the directory"
                + " made: 'holdfast disk remove "
                + id
                + "' if 'holdfast disk list' shows it, then 'holdfast disk add --create "
                + path
                + "'");
  }

  /**
   * Returns the size that the filesystem reports. A FileStore would search its mount point, which
   * is invisible in a chroot or a container.
   */
  private static Quantity size(Path path) throws IOException {
    long bytes = path.toFile().getTotalSpace();
    if (bytes == 0) {
      throw new IOException("its filesystem does not report its size");
    }
    return new Quantity(bytes);
  }

  /**
   * Returns the fault of a registered disk.
   *
   * @param path directory of the disk
   * @param registered with the identifier and the filesystem that it had when it was last ready
   */
  static Optional<Fault> fault(Path path, DiskStatus registered) {
    String uuid = registered.diskUUID();
    String mount = DiskFilesystem.recorded(registered).remedy();
    try {
      if (!Files.isDirectory(path)) {
        return fault(ABSENT, path + " does not exist: " + mount);
      }
      boolean same = registered.path().equals(path.toString());
      if (same && DiskFilesystem.recorded(registered).isUnmounted(DiskFilesystem.of(path))) {
        return fault(ABSENT, path + " is on the filesystem of a parent directory: " + mount);
      }
      Optional<String> present = DiskIdentity.read(path);
      if (present.isEmpty()) {
        return fault(ABSENT, path + " has no disk identifier, " + uuid + " is expected: " + mount);
      }
      if (!present.get().equals(uuid)) {
        return fault(
            "DiskChanged",
            path + " is disk " + present.get() + ", expected " + uuid + ": mount the right one");
      }
      return writable(path);
    } catch (IOException e) {
      return fault("DiskFailed", path + ": " + e);
    }
  }

  /**
   * Checks by a write, because an ext4 that became read-only after an error still reports write
   * permission.
   */
  private static Optional<Fault> writable(Path path) {
    try {
      DiskIdentity.touch(path);
      return Optional.empty();
    } catch (IOException e) {
      String why = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
      return fault(
          "DiskReadOnly", path + " cannot be written (" + why + "): remount its filesystem");
    }
  }

  private static Optional<Fault> fault(String reason, String message) {
    return Optional.of(new Fault(reason, message));
  }

  /** Returns the free space; a small change keeps the earlier value. */
  static Quantity settled(DiskStatus earlier, long maximum, long available) {
    long change = Math.abs(available - earlier.storageAvailable().bytes());
    boolean news =
        change > maximum / NOTICEABLE_PART || !Condition.isTrue(earlier.conditions(), READY);
    return news ? new Quantity(available) : earlier.storageAvailable();
  }

  private static List<Condition> conditions(
      List<Condition> earlier, Optional<Fault> fault, Instant now) {
    return Condition.with(
        earlier,
        READY,
        fault.isEmpty() ? Condition.Status.TRUE : Condition.Status.FALSE,
        fault.map(Fault::reason).orElse("DiskReady"),
        fault.map(Fault::message).orElse(""),
        now);
  }
}
