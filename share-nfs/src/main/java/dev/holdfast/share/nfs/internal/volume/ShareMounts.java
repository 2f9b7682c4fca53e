package dev.holdfast.share.nfs.internal.volume;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.FilesystemTrim;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFilesystems;
import dev.holdfast.host.HostMounts;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.share.nfs.internal.ganesha.ShareFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mounts of one share:
 *
 * <pre>
 *   export/             the filesystem; first, because Ganesha takes the first mount of a device
 *   recovery/           bind mount of export/.holdfast: recovery records, on the volume
 *   export/.holdfast    an empty tmpfs: what clients see of it
 * </pre>
 *
 * Whatever touches the filesystem runs in a child process with a deadline, because the device may
 * not answer. Stateless.
 */
public final class ShareMounts {
  private static final Logger LOG = LoggerFactory.getLogger(ShareMounts.class);
  private static final String FOLDER = "directory 0";

  private final Host host;
  private final HostMounts mounts;
  private final HostFilesystems filesystems;
  private final ShareFolder folder;
  private final Duration patience;

  /**
   * Works on the mounts of a share.
   *
   * @param patience how long one program may take that touches the filesystem
   */
  public ShareMounts(Host host, ShareFolder folder, Duration patience) {
    this.host = host;
    this.mounts = new HostMounts(host);
    this.filesystems = new HostFilesystems(host);
    this.folder = folder;
    this.patience = patience;
  }

  /**
   * Mounts what is not mounted yet. The filesystem is checked before it is mounted.
   *
   * @param device with the filesystem
   * @param type of the filesystem
   * @param options of mount(8), beside those that suit the filesystem
   * @throws StorageException BUSY when something else is mounted there; INVALID when {@code
   *     .holdfast} on the volume is not a folder of the superuser; TIMEOUT; IO
   */
  public void mount(String device, String type, List<String> options) throws StorageException {
    if (at(folder.export()).isEmpty()) {
      filesystems.check(device, type, folder.export());
      growUnmounted(device, type);
    }
    filesystems.mount(device, type, folder.export(), options);
    if (at(folder.hidden()).isPresent() && at(folder.recovery()).isPresent()) {
      return;
    }
    unmount(folder.hidden(), false);
    unmount(folder.recovery(), false);
    requireFolder(folder.hidden(), ".holdfast");
    run("mount", "mount", "--bind", folder.hidden().toString(), folder.recovery().toString());
    requireFolder(folder.recovery().resolve("nfs"), ".holdfast/nfs");
    run(
        "mount",
        "mount",
        "-t",
        "tmpfs",
        "-o",
        "ro,nosuid,nodev,noexec,size=4k,mode=0",
        "holdfast",
        folder.hidden().toString());
  }

  /** Ext4 grows at any size before it is mounted; otherwise it is grown when it is mounted. */
  private void growUnmounted(String device, String type) {
    try {
      filesystems.growUnmounted(device, type);
    } catch (StorageException e) {
      LOG.warn(
          "{}: could not grow the filesystem before it is mounted: {}", device, e.getMessage());
    }
  }

  /**
   * Creates a folder where nothing is. A user of the volume may have put a link there, which must
   * not lead elsewhere on this node; no client has access while this is looked at.
   */
  private void requireFolder(Path path, String name) throws StorageException {
    String mkdir = host.require("mkdir", "coreutils");
    ProgramResult made =
        host.run(ProgramCall.of(patience, List.of(mkdir, "-m", "0700", path.toString())));
    String stat = host.require("stat", "coreutils");
    ProgramResult kind =
        host.run(ProgramCall.of(patience, List.of(stat, "-c", "%F %u", path.toString())));
    if (kind.exitCode() != 0) {
      throw new StorageException(
          ErrorCode.IO, path + " cannot be created on the volume: " + made.lastLines());
    }
    if (!kind.output().equals(FOLDER)) {
      throw new StorageException(
          ErrorCode.INVALID,
          name
              + " on the volume is a "
              + kind.output().replaceFirst(" \\d+$", "")
              + " that users of the volume made: mount the volume and rename it");
    }
    run("chmod", "coreutils", "0700", path.toString());
  }

  /** Returns what is mounted at the share's folder, empty when nothing is. */
  public Optional<MountTable.Mount> exported() throws StorageException {
    return at(folder.export());
  }

  /**
   * Returns whether all mounts are there and belong to a device.
   *
   * @param device such as {@code /dev/loop0}
   */
  public boolean areOf(String device) throws StorageException {
    Optional<String> number = host.files().deviceNumber(Path.of(device));
    Optional<String> mounted = exported().map(MountTable.Mount::deviceNumber);
    return number.isPresent() && number.equals(mounted) && at(folder.hidden()).isPresent();
  }

  /**
   * Unmounts what is mounted, the last one first. Succeeds when nothing is.
   *
   * @param force gives the mounts up where they are in use: for a device that does not answer
   * @throws StorageException BUSY naming the processes that use it; TIMEOUT; IO
   */
  public void unmount(boolean force) throws StorageException {
    for (Path point : List.of(folder.hidden(), folder.recovery(), folder.export())) {
      unmount(point, force);
    }
  }

  private void unmount(Path point, boolean force) throws StorageException {
    // Each pass removes one of several mounts at the same place, which a crash may have left.
    for (int left = 8; left > 0 && at(point).isPresent(); left--) {
      List<String> command = new ArrayList<>();
      command.add(host.require("umount", "mount"));
      if (force) {
        command.add("--lazy");
      }
      command.add(point.toString());
      ProgramResult result = host.run(ProgramCall.of(patience, command));
      if (result.exitCode() != 0 && at(point).isPresent()) {
        throw failed(point, result);
      }
    }
  }

  private StorageException failed(Path point, ProgramResult result) throws StorageException {
    if (!result.all().contains("busy")) {
      return new StorageException(ErrorCode.IO, point + ": " + result.lastLines());
    }
    List<String> holders = new MountHolders(host).of(point);
    return new StorageException(
        ErrorCode.BUSY,
        point
            + " is in use"
            + (holders.isEmpty() ? "" : " by " + String.join(", ", holders))
            + ": end it, the share then stops by itself");
  }

  private Optional<MountTable.Mount> at(Path point) throws StorageException {
    return mounts.at(point);
  }

  private void run(String program, String debianPackage, String... arguments)
      throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(host.require(program, debianPackage));
    command.addAll(List.of(arguments));
    String unused = host.check(ProgramCall.of(patience, command));
  }

  /**
   * Returns the size of the mounted filesystem without its own records.
   *
   * @throws StorageException TIMEOUT, IO
   */
  public long usableBytes() throws StorageException {
    String stat = host.require("stat", "coreutils");
    String printed =
        host.check(
            ProgramCall.of(
                patience, List.of(stat, "-f", "-c", "%b %S", folder.export().toString())));
    String[] numbers = printed.strip().split(" ", -1);
    return Math.multiplyExact(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
  }

  /**
   * Makes the mounted filesystem as large as its device.
   *
   * @throws StorageException UNSUPPORTED when the program that does it is missing; IO
   */
  public void grow(String device, String type) throws StorageException {
    filesystems.grow(device, type, folder.export());
  }

  /**
   * Tells the volume which blocks are free.
   *
   * @param device that must be mounted
   * @return bytes that were told
   * @throws StorageException INVALID when another device is mounted there; IO
   */
  public long trim(String device) throws StorageException {
    if (!areOf(device)) {
      throw new StorageException(
          ErrorCode.INVALID, folder.export() + " is not a mount of " + device);
    }
    return new FilesystemTrim(host).run(folder.export());
  }
}
