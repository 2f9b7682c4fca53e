package dev.holdfast.csi.internal.node;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.MountTable;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Shows a staged volume at another path by bind mounts. Every call can be repeated. Stateless. */
final class BindMounts {
  private static final Duration SHORT = Duration.ofSeconds(60);

  /** Shows a mounted filesystem at a directory, which is made. */
  void bindDirectory(String device, Path source, Path target, boolean readOnly)
      throws StorageException {
    try {
      Files.createDirectories(target);
    } catch (IOException e) {
      throw StorageException.io(target.toString(), e);
    }
    Path real = real(target);
    Optional<MountTable.Mount> present = MountTable.read().at(real);
    if (present.isPresent() && !MountTable.read().of(device).contains(present.get())) {
      throw occupied(target, present.get());
    }
    if (present.isEmpty()) {
      mount("--bind", source.toString(), real.toString());
    }
    if (readOnly) {
      mount("-o", "remount,bind,ro", real.toString());
    }
  }

  /** Shows a block device at a file, which is made. */
  void bindDevice(String device, Path target) throws StorageException {
    try {
      Files.createDirectories(target.toAbsolutePath().getParent());
      Files.createFile(target);
    } catch (FileAlreadyExistsException e) {
      // Made by an earlier call.
    } catch (IOException e) {
      throw StorageException.io(target.toString(), e);
    }
    Path real = real(target);
    Optional<MountTable.Mount> present = MountTable.read().at(real);
    if (present.isPresent()) {
      if (!isDevice(device, real)) {
        throw occupied(target, present.get());
      }
      return;
    }
    mount("--bind", device, real.toString());
  }

  private static StorageException occupied(Path target, MountTable.Mount mount) {
    return new StorageException(
        ErrorCode.BUSY, target + " has " + mount.source() + " mounted already");
  }

  private static void mount(String... words) throws StorageException {
    String program = HostProgram.require("mount", "mount").toString();
    HostProgram.check(
        SHORT,
        java.util.stream.Stream.concat(List.of(program).stream(), List.of(words).stream())
            .toList());
  }

  /** Returns whether a path shows what is on a device, or the device itself. */
  boolean shows(String device, boolean block, Path target) throws StorageException {
    Path real = real(target);
    Optional<MountTable.Mount> present = MountTable.read().at(real);
    if (device.isEmpty() || present.isEmpty()) {
      return false;
    }
    return block ? isDevice(device, real) : MountTable.read().of(device).contains(present.get());
  }

  private static boolean isDevice(String device, Path path) {
    try {
      return Files.getAttribute(path, "unix:rdev")
          .equals(Files.getAttribute(Path.of(device), "unix:rdev"));
    } catch (IOException e) {
      return false; // one of the two is not there
    }
  }

  boolean isMounted(Path target) throws StorageException {
    return MountTable.read().at(real(target)).isPresent();
  }

  /** Takes everything off a path and removes it. */
  void unbind(Path target) throws StorageException {
    Path real = real(target);
    String umount = HostProgram.require("umount", "mount").toString();
    while (MountTable.read().at(real).isPresent()) {
      HostProgram.Result result = HostProgram.run(SHORT, List.of(umount, real.toString()));
      if (result.exitCode() != 0) {
        boolean busy = result.output().contains("busy");
        throw new StorageException(
            busy ? ErrorCode.BUSY : ErrorCode.IO,
            busy
                ? target + " is in use; 'fuser -vm " + target + "' shows by whom"
                : result.output());
      }
    }
    remove(target);
  }

  /** Removes a path that nothing is mounted on; content that is not ours is left. */
  void remove(Path target) throws StorageException {
    try {
      if (!Files.isRegularFile(target) || Files.size(target) == 0) {
        Files.deleteIfExists(target);
      }
    } catch (NoSuchFileException e) {
      // Gone already.
    } catch (DirectoryNotEmptyException e) {
      throw new StorageException(ErrorCode.BUSY, target + " is not empty, it is left as it is", e);
    } catch (IOException e) {
      throw StorageException.io(target.toString(), e);
    }
  }

  /** The mount table knows no symbolic links. */
  private static Path real(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    try {
      return absolute.getParent() == null
          ? absolute
          : absolute.getParent().toRealPath().resolve(absolute.getFileName());
    } catch (IOException e) {
      return absolute; // its folder is not there, so nothing is mounted on it
    }
  }
}
