package dev.holdfast.initiator.nbd.internal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.MountTable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * For kernels without NBD: {@code qemu-storage-daemon} shows the export as one file by FUSE, and a
 * loop device makes a block device of the file.
 *
 * <pre>
 *   filesystem -- /dev/loopN -- run/disk (FUSE) -- qemu-storage-daemon -- TCP -- node
 * </pre>
 *
 * Discards and flushes go all the way through.
 */
final class FuseLoopDevice implements HostDevice {
  private static final Duration SHORT = Duration.ofSeconds(60);
  private static final Duration DETACH = Duration.ofSeconds(5);

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
    if (HostProgram.find(program()).isEmpty()) {
      return Optional.of(
          program() + " is not installed: apt-get install qemu-system-common qemu-utils");
    }
    return HostProgram.find("losetup").isPresent()
        ? Optional.empty()
        : Optional.of("losetup is not installed: apt-get install mount");
  }

  @Override
  public String program() {
    return "qemu-storage-daemon";
  }

  @Override
  public Optional<String> reserve() {
    return Optional.empty();
  }

  @Override
  public List<String> command(Path run, NbdEndpoint endpoint, Optional<String> reserved)
      throws StorageException {
    makeMountPoint(file(run));
    ObjectNode node = endpoint.blockNode().put("node-name", "volume");
    ObjectNode export =
        JsonNodeFactory.instance
            .objectNode()
            .put("type", "fuse")
            .put("id", "device")
            .put("node-name", "volume")
            .put("mountpoint", file(run).toString())
            .put("writable", true)
            .put("growable", false)
            .put("allow-other", "auto");
    return List.of(
        HostProgram.require(program(), "qemu-system-common").toString(),
        "--blockdev",
        node.toString(),
        "--export",
        export.toString());
  }

  private static Path file(Path run) {
    return run.resolve("disk");
  }

  private static void makeMountPoint(Path file) throws StorageException {
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException e) {
      return; // left by a crash, and as good as new
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  @Override
  public boolean isReady(Path run, long pid, Optional<String> reserved) throws StorageException {
    return isExported(run);
  }

  private static boolean isExported(Path run) throws StorageException {
    return MountTable.read()
        .at(file(run))
        .filter(mount -> mount.filesystem().startsWith("fuse"))
        .isPresent();
  }

  @Override
  public String finish(Path run, Optional<String> reserved) throws StorageException {
    String losetup = HostProgram.require("losetup", "mount").toString();
    String device =
        HostProgram.check(
            SHORT, List.of(losetup, "--find", "--show", "--direct-io=on", file(run).toString()));
    if (!device.startsWith("/dev/loop")) {
      throw new StorageException(ErrorCode.IO, "losetup answered \"" + device + "\"");
    }
    return device;
  }

  @Override
  public boolean serves(Path run, long pid, String device) throws StorageException {
    return isExported(run) && isBackedBy(BlockDevices.name(device), file(run));
  }

  /** The kernel marks the path of a file that was removed or hidden since. */
  private static boolean isBackedBy(String loop, Path file) {
    return BlockDevices.attribute(loop, "loop/backing_file")
        .map(path -> path.replaceFirst(" \\(deleted\\)$", ""))
        .filter(path -> path.equals(file.toString()))
        .isPresent();
  }

  @Override
  public void release(Path run, String device) throws StorageException {
    for (String loop : BlockDevices.named("loop")) {
      if (isBackedBy(loop, file(run))) {
        detach(loop, file(run));
      }
    }
  }

  private static void detach(String loop, Path file) throws StorageException {
    String device = "/dev/" + loop;
    BlockDevices.requireUnused(device);
    String losetup = HostProgram.require("losetup", "mount").toString();
    HostProgram.check(SHORT, List.of(losetup, "--detach", device));
    if (!Daemons.holds(DETACH, () -> !isBackedBy(loop, file))) {
      throw new StorageException(
          ErrorCode.BUSY, device + " is in use; 'fuser -v " + device + "' shows by whom");
    }
  }

  /** A FUSE mount whose process is gone answers nothing and can only be taken away lazily. */
  @Override
  public void clean(Path run) throws StorageException {
    Path file = file(run);
    while (MountTable.read().at(file).isPresent()) {
      String umount = HostProgram.require("umount", "mount").toString();
      HostProgram.check(SHORT, List.of(umount, "--lazy", file.toString()));
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }
}
