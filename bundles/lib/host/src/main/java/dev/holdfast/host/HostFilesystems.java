package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.MountTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Probes, makes, mounts and unmounts filesystems of a host with its programs. Stateless. */
public final class HostFilesystems {
  private static final Duration SHORT = Duration.ofSeconds(60);

  /**
   * Discarding and flushing a large device takes long, and an interrupted attempt has no benefit.
   */
  private static final Duration LONG = Duration.ofMinutes(30);

  private static final int E2FSCK_LEFT_ERRORS = 4;

  private final Host host;
  private final HostMounts mounts;
  private final DeviceContent content;

  /** Creates access to the devices of a host. */
  public HostFilesystems(Host host) {
    this.host = host;
    this.mounts = new HostMounts(host);
    this.content = new DeviceContent(host);
  }

  /**
   * Returns the filesystem of a device, and makes one only if the device is certainly empty.
   *
   * @param wanted filesystem to create, or to require
   * @throws StorageException INVALID when something else is on the device; UNSUPPORTED when the
   *     program that makes it is missing; IO
   */
  public String filesystemOn(String device, Optional<Filesystem> wanted) throws StorageException {
    return filesystemOn(device, wanted, List.of());
  }

  /**
   * Returns the filesystem of a device, and makes one only if the device is certainly empty.
   *
   * @param wanted filesystem to create, or to require
   * @param options options of the program that creates it, in addition to those for volumes
   * @throws StorageException as above; IO also when the program rejects the options
   */
  public String filesystemOn(String device, Optional<Filesystem> wanted, List<String> options)
      throws StorageException {
    Map<String, String> signs = content.signs(device);
    if (signs.isEmpty()) {
      content.requireEmpty(device);
      return make(device, wanted.orElse(Filesystem.EXT4), options).toString();
    }
    return typeOf(device, signs, wanted);
  }

  /**
   * Returns the filesystem of a device, empty when blkid does not know its content.
   *
   * @param wanted filesystem to require
   * @throws StorageException INVALID when the device has other content; IO
   */
  public Optional<String> filesystemPresent(String device, Optional<Filesystem> wanted)
      throws StorageException {
    Map<String, String> signs = content.signs(device);
    return signs.isEmpty() ? Optional.empty() : Optional.of(typeOf(device, signs, wanted));
  }

  /**
   * Returns the filesystem of a device that had one before.
   *
   * @param wanted filesystem to require
   * @throws StorageException INVALID when the device has other content or is empty; IO
   */
  public String existingFilesystem(String device, Optional<Filesystem> wanted)
      throws StorageException {
    Map<String, String> signs = content.signs(device);
    if (signs.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          device + " had a filesystem and holds none now, it is left as it is; umount forgets it");
    }
    return typeOf(device, signs, wanted);
  }

  private static String typeOf(
      String device, Map<String, String> signs, Optional<Filesystem> wanted)
      throws StorageException {
    String type = signs.getOrDefault("TYPE", "");
    if (!signs.getOrDefault("USAGE", "").equals("filesystem") || type.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          device
              + " holds "
              + (type.isEmpty()
                  ? "a partition table (" + signs.getOrDefault("PTTYPE", "unknown") + ")"
                  : type)
              + " and no filesystem; it is left as it is");
    }
    if (wanted.isPresent() && !wanted.get().toString().equals(type)) {
      throw new StorageException(
          ErrorCode.INVALID,
          device + " holds " + type + " already, not " + wanted.get() + "; leave out --fs");
    }
    return type;
  }

  private Filesystem make(String device, Filesystem filesystem, List<String> options)
      throws StorageException {
    String program = host.require(filesystem.makeProgram(), filesystem.debianPackage());
    String unused =
        host.check(ProgramCall.of(LONG, filesystem.makeCommand(program, device, options)));
    return filesystem;
  }

  /** Mounts a device, unless it is mounted there already. */
  public void mount(String device, String type, Path directory) throws StorageException {
    mount(device, type, directory, List.of());
  }

  /**
   * Mounts a device, unless it is mounted there already.
   *
   * @param options options of mount(8), in addition to those of the filesystem
   * @throws StorageException BUSY when another device is mounted there; IO
   */
  public void mount(String device, String type, Path directory, List<String> options)
      throws StorageException {
    Optional<MountTable.Mount> present = mounts.at(directory);
    if (present.isPresent() && isOf(device, present.get())) {
      return;
    }
    if (present.isPresent()) {
      throw new StorageException(
          ErrorCode.BUSY, directory + " has " + present.get().source() + " mounted already");
    }
    List<String> all = new ArrayList<>();
    all.add(Filesystem.named(type).map(Filesystem::mountOptions).orElse("defaults"));
    all.addAll(options);
    run(
        SHORT,
        host.require("mount", "mount"),
        "-t",
        type,
        "-o",
        String.join(",", all),
        device,
        directory.toString());
  }

  /**
   * Repairs an unmounted filesystem after a crash, as far as possible without a decision of the
   * administrator. Filesystems that repair themselves when they are mounted are not checked.
   *
   * @param directory existing directory without a mount, on which the filesystem is mounted until
   *     the kernel has replayed its journal
   * @throws StorageException IO when the device does not accept the journal, in which case no data
   *     is lost; IO also when the filesystem is damaged further, with the findings
   */
  public void check(String device, String type, Path directory) throws StorageException {
    if (!type.equals(Filesystem.EXT4.toString())) {
      return;
    }
    if (hasJournalToReplay(device)) {
      replayJournal(device, type, directory);
    }
    String program = host.require("e2fsck", "e2fsprogs");
    ProgramResult result = host.run(ProgramCall.of(LONG, List.of(program, "-p", device)));
    if (result.exitCode() >= E2FSCK_LEFT_ERRORS) {
      throw new StorageException(
          ErrorCode.IO,
          device + " holds a damaged filesystem, it is left as it is: " + result.all());
    }
  }

  private boolean hasJournalToReplay(String device) throws StorageException {
    String program = host.require("dumpe2fs", "e2fsprogs");
    ProgramResult result = host.run(ProgramCall.of(SHORT, List.of(program, "-h", device)));
    return result.exitCode() == 0 && result.all().contains("needs_recovery");
  }

  /**
   * The kernel keeps a journal that it could not replay, for example on a full disk. e2fsck marks
   * such a journal as replayed, and data that was only in it is lost.
   */
  private void replayJournal(String device, String type, Path directory) throws StorageException {
    try {
      mount(device, type, directory);
    } catch (StorageException e) {
      throw new StorageException(
          e.code(),
          device
              + " did not accept the journal of its filesystem, which is left as it is: "
              + e.getMessage(),
          e);
    }
    unmount(device, directory);
  }

  /**
   * Extends a filesystem to the size of its device before it is mounted. {@link #grow} extends
   * filesystems that can only grow while they are mounted.
   *
   * @throws StorageException IO
   */
  public void growUnmounted(String device, String type) throws StorageException {
    if (!type.equals(Filesystem.EXT4.toString())) {
      return;
    }
    String resize = host.require("resize2fs", "e2fsprogs");
    if (host.run(ProgramCall.of(LONG, List.of(resize, device))).exitCode() != 0) {
      // resize2fs requires a complete check first if it has work to do.
      String check = host.require("e2fsck", "e2fsprogs");
      var unused = host.run(ProgramCall.of(LONG, List.of(check, "-f", "-p", device)));
      run(LONG, resize, device);
    }
  }

  /**
   * Extends a mounted filesystem to the size of its device; succeeds when it already has this size.
   *
   * @throws StorageException UNSUPPORTED when the program for it is missing; IO
   */
  public void grow(String device, String type, Path directory) throws StorageException {
    Optional<Filesystem> filesystem = Filesystem.named(type);
    if (filesystem.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, device + " holds " + type + ", which is not grown");
    }
    switch (filesystem.get()) {
      case EXT4 -> run(LONG, host.require("resize2fs", "e2fsprogs"), device);
      case XFS -> run(LONG, host.require("xfs_growfs", "xfsprogs"), directory.toString());
    }
  }

  /** Writes back and unmounts a device from a directory; succeeds when it is not mounted there. */
  public void unmount(String device, Path directory) throws StorageException {
    Optional<MountTable.Mount> present = mounts.at(directory);
    if (device.isEmpty() || present.isEmpty() || !isOf(device, present.get())) {
      return;
    }
    String program = host.require("umount", "mount");
    ProgramResult result = host.run(ProgramCall.of(LONG, List.of(program, directory.toString())));
    if (result.exitCode() != 0) {
      boolean busy = result.all().contains("busy");
      throw new StorageException(
          busy ? ErrorCode.BUSY : ErrorCode.IO,
          busy
              ? directory + " is in use; 'fuser -vm " + directory + "' shows by whom"
              : result.all());
    }
  }

  private boolean isOf(String device, MountTable.Mount mount) throws StorageException {
    return mounts.of(device).contains(mount);
  }

  private void run(Duration timeout, String... command) throws StorageException {
    String unused = host.check(ProgramCall.of(timeout, List.of(command)));
  }

  /** Makes the directory when it is missing and returns its real path. */
  public Path mountPoint(Path directory) throws StorageException {
    return host.files().createFolder(directory);
  }
}
