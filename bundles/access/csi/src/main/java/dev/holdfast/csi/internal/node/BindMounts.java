package dev.holdfast.csi.internal.node;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostMounts;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.initiator.MountTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Publishes a staged volume at another path by bind mounts. All calls are idempotent. Stateless.
 */
final class BindMounts {
  private static final Duration SHORT = Duration.ofSeconds(60);

  private final Host host;
  private final HostMounts mounts;

  BindMounts(Host host) {
    this.host = host;
    this.mounts = new HostMounts(host);
  }

  /** Bind-mounts a filesystem at a directory, which is created. */
  void bindDirectory(String device, Path source, Path target, boolean readOnly)
      throws StorageException {
    Path unused = host.files().createFolder(target);
    Path real = host.files().real(target);
    Optional<MountTable.Mount> present = mounts.at(real);
    if (present.isPresent() && !mounts.of(device).contains(present.get())) {
      throw occupied(target, present.get());
    }
    if (present.isEmpty()) {
      mount("--bind", source.toString(), real.toString());
    }
    if (readOnly) {
      mount("-o", "remount,bind,ro", real.toString());
    }
  }

  /** Bind-mounts a block device at a file, which is created. */
  void bindDevice(String device, Path target) throws StorageException {
    host.files().createFile(target);
    Path real = host.files().real(target);
    Optional<MountTable.Mount> present = mounts.at(real);
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

  private void mount(String... words) throws StorageException {
    List<String> command = new ArrayList<>(List.of(host.require("mount", "mount")));
    command.addAll(List.of(words));
    String unused = host.check(ProgramCall.of(SHORT, command));
  }

  /** Returns whether a path has the filesystem of a device, or the device itself. */
  boolean shows(String device, boolean block, Path target) throws StorageException {
    Path real = host.files().real(target);
    Optional<MountTable.Mount> present = mounts.at(real);
    if (device.isEmpty() || present.isEmpty()) {
      return false;
    }
    return block ? isDevice(device, real) : mounts.of(device).contains(present.get());
  }

  private boolean isDevice(String device, Path path) throws StorageException {
    Optional<String> number = host.files().deviceNumber(path);
    return number.isPresent() && number.equals(host.files().deviceNumber(Path.of(device)));
  }

  boolean isMounted(Path target) throws StorageException {
    return mounts.at(host.files().real(target)).isPresent();
  }

  /** Unmounts everything at a path and removes the path. */
  void unbind(Path target) throws StorageException {
    Path real = host.files().real(target);
    String umount = host.require("umount", "mount");
    while (mounts.at(real).isPresent()) {
      ProgramResult result = host.run(ProgramCall.of(SHORT, List.of(umount, real.toString())));
      if (result.exitCode() != 0) {
        boolean busy = result.all().contains("busy");
        throw new StorageException(
            busy ? ErrorCode.BUSY : ErrorCode.IO,
            busy ? target + " is in use; 'fuser -vm " + target + "' shows by whom" : result.all());
      }
    }
    remove(target);
  }

  /** Removes an unused path; keeps foreign content. */
  void remove(Path target) throws StorageException {
    Optional<HostFiles.Kind> kind = host.files().kind(target);
    if (kind.isPresent() && (kind.get() != HostFiles.Kind.FILE || host.files().size(target) == 0)) {
      host.files().delete(target);
    }
  }
}
