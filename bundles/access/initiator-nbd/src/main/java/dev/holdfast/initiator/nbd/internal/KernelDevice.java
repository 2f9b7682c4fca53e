package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The kernel's own NBD device, held by {@code qemu-nbd}. A socket pair, which never breaks,
 * connects the kernel to that process. The process reconnects to the node. The kernel with
 * nbd-client would fail requests as soon as its connection is lost.
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
    return ReconnectingServer.obstacle();
  }

  private static boolean loadModule() {
    Optional<Path> modprobe = HostProgram.find("modprobe");
    if (modprobe.isEmpty()) {
      return false;
    }
    try {
      HostProgram.run(SHORT, List.of(modprobe.get().toString(), "--quiet", "nbd"));
      return HostCondition.holds(Duration.ofSeconds(1), () -> Files.exists(Path.of("/dev/nbd0")));
    } catch (StorageException e) {
      return false; // the caller reports the consequence
    }
  }

  @Override
  public List<String> programs() {
    return List.of(ReconnectingServer.PROGRAM);
  }

  /**
   * Selects a free device. If another process takes it first, the start fails and can be repeated.
   */
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
    List<String> command = new ArrayList<>(ReconnectingServer.command(run, endpoint.fixed()));
    command.add("--verbose"); // prevents a fork, which would hide errors
    command.add("--connect=" + reserved.orElseThrow());
    return command;
  }

  @Override
  public boolean isReady(Path run, Optional<String> reserved) throws StorageException {
    String device = reserved.orElseThrow();
    return serves(run, device)
        && BlockDevices.attribute(BlockDevices.name(device), "size")
            .filter(size -> !size.equals("0"))
            .isPresent();
  }

  @Override
  public String finish(Path run, NbdEndpoint endpoint, Optional<String> reserved) {
    return reserved.orElseThrow();
  }

  @Override
  public boolean growsInUse() {
    return false;
  }

  @Override
  public void grow(String device, long bytes) throws StorageException {
    throw new StorageException(
        ErrorCode.UNSUPPORTED, device + " keeps its size while it is connected: connect it again");
  }

  /** Checks the owner of the device by the thread that passed the socket to the kernel. */
  @Override
  public boolean serves(Path run, String device) throws StorageException {
    Optional<String> thread = BlockDevices.attribute(BlockDevices.name(device), "pid");
    if (thread.isEmpty()) {
      return false;
    }
    for (long pid : Daemons.find(ReconnectingServer.PROGRAM, run)) {
      if (Files.exists(Path.of("/proc", Long.toString(pid), "task", thread.get()))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void release(Path run, String device) throws StorageException {
    if (device.isEmpty() || !serves(run, device)) {
      return;
    }
    BlockDevices.requireUnused(device);
    HostProgram.check(
        SHORT, List.of(ReconnectingServer.program().toString(), "--disconnect", device));
    HostCondition.holds(
        DISCONNECT, () -> BlockDevices.attribute(BlockDevices.name(device), "pid").isEmpty());
  }

  @Override
  public void clean(Path run) throws StorageException {
    ReconnectingServer.clean(run);
  }
}
