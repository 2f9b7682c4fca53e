package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The kernel's own NBD device, held by {@code qemu-nbd}. The kernel talks to that process over a
 * socket pair, which never breaks; the process talks to the node and reconnects. (The kernel alone,
 * with nbd-client, fails requests as soon as its connection is lost: nbd-client cannot tell it to
 * wait.)
 *
 * <pre>
 *   filesystem -- /dev/nbdN -- qemu-nbd -- TCP -- node
 * </pre>
 */
final class KernelDevice implements HostDevice {
  private static final Duration SHORT = Duration.ofSeconds(60);
  private static final Duration DISCONNECT = Duration.ofSeconds(15);

  @Override
  public String name() {
    return "nbd-kernel";
  }

  @Override
  public int preference() {
    return 20;
  }

  @Override
  public Optional<String> obstacle() {
    if (!Files.exists(Path.of("/dev/nbd0")) && !loadModule()) {
      return Optional.of("this kernel has no NBD ('modprobe nbd' fails)");
    }
    if (!Files.isWritable(Path.of("/dev/nbd0"))) {
      return Optional.of("no access to /dev/nbd0: run as root");
    }
    return HostProgram.find(program()).isPresent()
        ? Optional.empty()
        : Optional.of(program() + " is not installed: apt-get install qemu-utils");
  }

  private static boolean loadModule() {
    Optional<Path> modprobe = HostProgram.find("modprobe");
    if (modprobe.isEmpty()) {
      return false;
    }
    try {
      HostProgram.run(SHORT, List.of(modprobe.get().toString(), "--quiet", "nbd"));
      return Daemons.holds(Duration.ofSeconds(1), () -> Files.exists(Path.of("/dev/nbd0")));
    } catch (StorageException e) {
      return false; // the caller tells what this means
    }
  }

  @Override
  public String program() {
    return "qemu-nbd";
  }

  /** Takes a free device; when another process is faster, the start fails and can be repeated. */
  @Override
  public Optional<String> reserve() throws StorageException {
    for (String name : BlockDevices.named("nbd")) {
      if (BlockDevices.attribute(name, "pid").isEmpty()
          && BlockDevices.attribute(name, "size").filter(size -> size.equals("0")).isPresent()) {
        return Optional.of("/dev/" + name);
      }
    }
    throw new StorageException(
        ErrorCode.NO_SPACE,
        "all NBD devices of this host are in use: load the module with a larger nbds_max");
  }

  @Override
  public List<String> command(Path run, NbdEndpoint endpoint, Optional<String> reserved)
      throws StorageException {
    return List.of(
        HostProgram.require(program(), "qemu-utils").toString(),
        "--persistent",
        "--discard=unmap",
        "--pid-file=" + run.resolve("pid"),
        "--connect=" + reserved.orElseThrow(),
        "json:" + endpoint.blockNode());
  }

  @Override
  public boolean isReady(Path run, long pid, Optional<String> reserved) throws StorageException {
    String name = BlockDevices.name(reserved.orElseThrow());
    return serves(run, pid, reserved.get())
        && BlockDevices.attribute(name, "size").filter(size -> !size.equals("0")).isPresent();
  }

  @Override
  public String finish(Path run, Optional<String> reserved) {
    return reserved.orElseThrow();
  }

  /** The kernel names the thread that gave it the socket. */
  @Override
  public boolean serves(Path run, long pid, String device) throws StorageException {
    return BlockDevices.attribute(BlockDevices.name(device), "pid")
        .filter(thread -> Files.exists(Path.of("/proc", Long.toString(pid), "task", thread)))
        .isPresent();
  }

  @Override
  public void release(Path run, String device) throws StorageException {
    if (device.isEmpty()) {
      return;
    }
    var pid = Daemons.find(program(), run);
    if (pid.isPresent() && serves(run, pid.getAsLong(), device)) {
      BlockDevices.requireUnused(device);
      String qemuNbd = HostProgram.require(program(), "qemu-utils").toString();
      HostProgram.check(SHORT, List.of(qemuNbd, "--disconnect", device));
      Daemons.holds(
          DISCONNECT, () -> BlockDevices.attribute(BlockDevices.name(device), "pid").isEmpty());
    }
  }

  @Override
  public void clean(Path run) throws StorageException {
    try {
      Files.deleteIfExists(run.resolve("pid"));
    } catch (IOException e) {
      throw StorageException.io(run.toString(), e);
    }
  }
}
