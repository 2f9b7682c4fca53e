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

  /** Discarding and flushing a large device may take long; stopping half-way has no benefit. */
  private static final Duration LONG = Duration.ofMinutes(30);

  private static final int E2FSCK_LEFT_ERRORS = 4;

  private final Host host;
  private final HostMounts mounts;
  private final DeviceContent content;

  /** Works on the devices of a host. */
  public HostFilesystems(Host host) {
    this.host = host;
    this.mounts = new HostMounts(host);
    this.content = new DeviceContent(host);
  }

  /**
   * Returns the filesystem of a device, and makes one only if the device is certainly empty.
   *
   * @param wanted the filesystem to make or to insist on
   * @throws StorageException INVALID when something else is on the device; UNSUPPORTED when the
   *     program that makes it is missing; IO
   */
  public String filesystemOn(String device, Optional<Filesystem> wanted) throws StorageException {
    return filesystemOn(device, wanted, List.of());
  }

  /**
   * Returns the filesystem of a device, and makes one only if the device is certainly empty.
   *
   * @param wanted the filesystem to make or to insist on
   * @param options of the program that makes it, beside those that suit a volume
   * @throws StorageException as above; IO also when the program refuses the options
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
   * Returns the filesystem of a device, empty when blkid knows nothing of what is on it.
   *
   * @param wanted the filesystem to insist on
   * @throws StorageException INVALID when something else is on the device; IO
   */
  public Optional<String> filesystemPresent(String device, Optional<Filesystem> wanted)
      throws StorageException {
    Map<String, String> signs = content.signs(device);
    return signs.isEmpty() ? Optional.empty() : Optional.of(typeOf(device, signs, wanted));
  }

  /**
   * Returns the filesystem of a device that had one before.
   *
   * @param wanted the filesystem to insist on
   * @throws StorageException INVALID when something else, or nothing, is on the device; IO
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
   * @param options of mount(8), beside those that suit the filesystem
   * @throws StorageException BUSY when something else is mounted there; IO
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
   * Repairs what a crash left of a filesystem that is not mounted, as far as that is possible
   * without a decision of the administrator. The filesystems that repair themselves when they are
   * mounted are left to that.
   *
   * @param directory on which the filesystem is mounted until the kernel has replayed its journal;
   *     it exists, and nothing is mounted on it
   * @throws StorageException IO when the device does not accept the journal, and then nothing is
   *     lost; IO also when the filesystem is damaged further, with what was found
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
   * The kernel keeps a journal that it could not replay, as on a full disk. e2fsck marks such a
   * journal as replayed, and what was only in it is lost.
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
   * Makes a filesystem as large as its device before it is mounted. Those that only grow when they
   * are mounted are left to {@link #grow}.
   *
   * @throws StorageException IO
   */
  public void growUnmounted(String device, String type) throws StorageException {
    if (!type.equals(Filesystem.EXT4.toString())) {
      return;
    }
    String resize = host.require("resize2fs", "e2fsprogs");
    if (host.run(ProgramCall.of(LONG, List.of(resize, device))).exitCode() != 0) {
      // It wants to see a complete check first when there is something to be done.
      String check = host.require("e2fsck", "e2fsprogs");
      var unused = host.run(ProgramCall.of(LONG, List.of(check, "-f", "-p", device)));
      run(LONG, resize, device);
    }
  }

  /**
   * Makes a mounted filesystem as large as its device; succeeds when it is.
   *
   * @throws StorageException UNSUPPORTED when the program that does it is missing; IO
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
