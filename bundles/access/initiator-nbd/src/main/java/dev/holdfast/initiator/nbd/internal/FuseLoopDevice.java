package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.MountTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Device for kernels without NBD: {@code nbdfuse} provides the export as a FUSE file, and a loop
 * device converts the file to a block device.
 *
 * <pre>
 *   filesystem -- /dev/loopN -- run/fuse/disk -- nbdfuse -- qemu-nbd -- TCP -- node
 *                (direct I/O)      (FUSE)            (UNIX socket)
 * </pre>
 *
 * All layers pass discards and flushes. nbdfuse cannot reconnect, so qemu-nbd runs between it and
 * the node. QEMU's own FUSE export is not used, because up to version 9 it overwrites the data of a
 * running write when another request arrives, which damages filesystems.
 */
final class FuseLoopDevice implements HostDevice {
  private static final String FRONT = "nbdfuse";
  private static final String PACKAGE = "libnbd-bin";
  private static final String FILE = "disk";
  private static final Path ORPHAN = Path.of("/", FILE);
  private static final Duration SHORT = Duration.ofSeconds(60);
  private static final Duration DETACH = Duration.ofSeconds(5);

  /** LOOP_GET_STATUS64, {@code lo_sizelimit} replaced, LOOP_SET_STATUS64 (loop(4)). */
  private static final String SET_LIMIT =
      "open(F, '+<', $ARGV[0]) or die $!; my $s = \"\\0\" x 232;"
          + " ioctl(F, 0x4C05, $s) or die $!; substr($s, 32, 8) = pack('Q', $ARGV[1]);"
          + " ioctl(F, 0x4C04, $s) or die $!;";

  @Override
  public String name() {
    return "nbd-fuse";
  }

  @Override
  public int preference() {
    return 10;
  }

  @Override
  public Optional<String> obstacle() {
    if (!Files.isWritable(Path.of("/dev/fuse"))) {
      return Optional.of("no access to /dev/fuse: run as root, and 'modprobe fuse'");
    }
    if (!Files.isWritable(Path.of("/dev/loop-control"))) {
      return Optional.of("no access to /dev/loop-control: run as root, and 'modprobe loop'");
    }
    if (HostProgram.find(FRONT).isEmpty()) {
      return Optional.of(FRONT + " is not installed: apt-get install " + PACKAGE);
    }
    return ReconnectingServer.obstacle();
  }

  @Override
  public List<String> programs() {
    return List.of(FRONT, ReconnectingServer.PROGRAM);
  }

  @Override
  public Optional<String> reserve() {
    return Optional.empty();
  }

  @Override
  public List<String> command(Path run, NbdEndpoint endpoint, Optional<String> reserved)
      throws StorageException {
    try {
      Files.createDirectories(mountPoint(run));
    } catch (IOException e) {
      throw StorageException.io(mountPoint(run).toString(), e);
    }
    List<String> command = new ArrayList<>();
    command.add(HostProgram.require(FRONT, PACKAGE).toString());
    command.add(file(run).toString());
    command.add("[");
    command.addAll(ReconnectingServer.command(run, endpoint));
    command.add("]");
    return command;
  }

  private static Path mountPoint(Path run) {
    return run.resolve("fuse");
  }

  private static Path file(Path run) {
    return mountPoint(run).resolve(FILE);
  }

  @Override
  public boolean isReady(Path run, Optional<String> reserved) throws StorageException {
    return isExported(run);
  }

  private static boolean isExported(Path run) throws StorageException {
    return MountTable.read()
        .at(mountPoint(run))
        .filter(mount -> mount.filesystem().startsWith("fuse"))
        .isPresent();
  }

  @Override
  public String finish(Path run, NbdEndpoint endpoint, Optional<String> reserved)
      throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(HostProgram.require("losetup", "mount").toString());
    command.addAll(List.of("--find", "--show", "--direct-io=on"));
    endpoint.growable().ifPresent(bytes -> command.add("--sizelimit=" + bytes));
    command.add(file(run).toString());
    String device = HostProgram.check(SHORT, command);
    if (!device.startsWith("/dev/loop")) {
      throw new StorageException(ErrorCode.IO, "losetup answered \"" + device + "\"");
    }
    return device;
  }

  @Override
  public boolean growsInUse() {
    return true;
  }

  /** Grows the limit of a loop device by an ioctl, which losetup does not support. */
  @Override
  public void grow(String device, long bytes) throws StorageException {
    if (BlockDevices.attribute(BlockDevices.name(device), "loop/sizelimit")
        .filter(limit -> !limit.equals("0"))
        .isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, device + " was not connected so that it grows: connect it again");
    }
    String perl = HostProgram.require("perl", "perl-base").toString();
    HostProgram.check(SHORT, List.of(perl, "-e", SET_LIMIT, device, Long.toString(bytes)));
  }

  @Override
  public boolean serves(Path run, String device) throws StorageException {
    return isExported(run) && isBackedBy(BlockDevices.name(device), file(run));
  }

  private static boolean isBackedBy(String loop, Path file) {
    return backing(loop).filter(path -> path.equals(file.toString())).isPresent();
  }

  /**
   * Returns the backing file of a loop device. The kernel marks the path of a removed or hidden
   * file.
   */
  private static Optional<String> backing(String loop) {
    return BlockDevices.attribute(loop, "loop/backing_file")
        .map(path -> path.replaceFirst(" \\(deleted\\)$", ""));
  }

  /**
   * Detaches the device. Another container of this machine may use the same folders, and its
   * devices are visible here; the mount of the backing file distinguishes them. After an end of the
   * process by itself the mount is missing, and only the recorded device is certain.
   */
  @Override
  public void release(Path run, String device) throws StorageException {
    String recorded = BlockDevices.name(device);
    Optional<MountTable.Mount> mount = MountTable.read().at(mountPoint(run));
    for (String loop : BlockDevices.named("loop")) {
      boolean named = isBackedBy(loop, file(run));
      if (mount.isPresent()
          ? named && !isElsewhere(loop, mount.get())
          : loop.equals(recorded) && (named || isBackedBy(loop, ORPHAN))) {
        detach(loop);
      }
    }
  }

  /**
   * Returns whether another container owns the loop device. The file of a hanging process is
   * unreadable, and its device is unusable.
   */
  private static boolean isElsewhere(String loop, MountTable.Mount mount) throws StorageException {
    String losetup = HostProgram.require("losetup", "mount").toString();
    String told =
        HostProgram.run(
                SHORT,
                List.of(losetup, "--list", "--noheadings", "--output=BACK-MAJ:MIN", "/dev/" + loop))
            .output();
    return told.matches("\\d+:\\d+") && !told.equals(mount.deviceNumber());
  }

  private static void detach(String loop) throws StorageException {
    String device = "/dev/" + loop;
    Optional<String> backing = backing(loop);
    BlockDevices.requireUnused(device);
    String losetup = HostProgram.require("losetup", "mount").toString();
    HostProgram.Result result = HostProgram.run(SHORT, List.of(losetup, "--detach", device));
    // An earlier request to detach the device may complete now; losetup then fails although the
    // device is free.
    if (HostCondition.holds(DETACH, () -> !backing(loop).equals(backing))) {
      return;
    }
    throw result.exitCode() == 0
        ? new StorageException(
            ErrorCode.BUSY, device + " is in use; 'fuser -v " + device + "' shows by whom")
        : new StorageException(
            ErrorCode.IO, "losetup could not detach " + device + ": " + result.output());
  }

  /** Removes the FUSE mount lazily, because a mount without a process does not answer. */
  @Override
  public void clean(Path run) throws StorageException {
    Path mountPoint = mountPoint(run);
    while (MountTable.read().at(mountPoint).isPresent()) {
      umount("--lazy", mountPoint);
    }
    try {
      Files.deleteIfExists(mountPoint);
    } catch (IOException e) {
      throw StorageException.io(mountPoint.toString(), e);
    }
    ReconnectingServer.clean(run);
  }

  private static HostProgram.Result umount(String option, Path path) throws StorageException {
    String umount = HostProgram.require("umount", "mount").toString();
    return HostProgram.run(SHORT, List.of(umount, option, path.toString()));
  }
}
