package dev.holdfast.engine.spdk.simulator.internal.tcp;

import dev.holdfast.block.Completion;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.engine.spdk.simulator.fabric.FabricConnection;
import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import dev.holdfast.engine.spdk.simulator.fabric.FabricSubsystem;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.NvmeDevice;
import dev.holdfast.nvme.host.NvmeSubsystem;
import dev.holdfast.nvme.host.RemoteController;
import dev.holdfast.nvme.host.answer.NvmeIdentity;
import dev.holdfast.nvme.host.answer.NvmeStatusException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The host's side of an association over NVMe/TCP. Thread-safe. */
public final class RemoteConnection implements FabricConnection {
  /** A command may wait for a peer of the target for as long as a test runs. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final RemoteController controller;

  private RemoteConnection(RemoteController controller) {
    this.controller = controller;
  }

  /**
   * Connects a host. Its secrets travel beside the socket, because the host of NVMe/TCP does not
   * know them.
   *
   * @throws IOException when nothing listens there, or the target refuses the host
   */
  public static FabricConnection connect(
      Fabric fabric, FabricAddress address, String subsystem, FabricHost host) throws IOException {
    fabric.present(subsystem, host);
    UUID id = UUID.nameUUIDFromBytes(host.nqn().getBytes(StandardCharsets.UTF_8));
    try {
      return new RemoteConnection(
          RemoteController.connect(
              new NvmeSubsystem(fabric.socket(address), subsystem, host.nqn(), id, LIMIT)));
    } catch (StorageException e) {
      throw failure(e);
    }
  }

  private static IOException failure(StorageException e) {
    return e instanceof NvmeStatusException status
        ? new FabricException(status.status(), e.getMessage())
        : new IOException(e.getMessage(), e);
  }

  @Override
  public int controllerId() {
    return controller.identity().controller();
  }

  @Override
  public FabricSubsystem subsystem() {
    NvmeIdentity identity = controller.identity();
    return new FabricSubsystem(
        identity.nqn(), identity.serialNumber(), identity.modelNumber(), identity.anaReporting());
  }

  @Override
  public List<FabricNamespace> namespaces() throws IOException {
    List<FabricNamespace> found = new ArrayList<>();
    try {
      for (int id : controller.namespaces()) {
        found.add(new Remote(id, controller.device(id), controller.uuid(id)));
      }
    } catch (StorageException e) {
      throw failure(e);
    }
    return found;
  }

  @Override
  public boolean isAlive() {
    try {
      controller.check();
      return true;
    } catch (StorageException e) {
      return false;
    }
  }

  @Override
  public void close() {
    controller.close();
  }

  /** A request of a device. */
  private interface Request {
    void begin(Completion completion);
  }

  private static void await(Request request) throws IOException {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    request.begin(
        failure -> {
          if (failure == null) {
            ended.complete(null);
          } else {
            ended.completeExceptionally(failure);
          }
        });
    try {
      ended.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StorageException failure
          ? failure(failure)
          : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** A namespace of the target. */
  private record Remote(int id, NvmeDevice device, UUID uuid) implements FabricNamespace {
    @Override
    public String nguid() {
      return device.nguid();
    }

    @Override
    public int blockSize() {
      return device.blockSize();
    }

    @Override
    public long blocks() {
      return device.size() / device.blockSize();
    }

    @Override
    public void read(long offset, ByteBuffer target) throws IOException {
      await(ended -> device.read(offset, target, ended));
    }

    @Override
    public void write(long offset, ByteBuffer source) throws IOException {
      await(ended -> device.write(offset, source, 0, ended));
    }

    @Override
    public void flush() throws IOException {
      await(device::flush);
    }

    @Override
    public void zero(long offset, long length) throws IOException {
      await(ended -> device.writeZeroes(offset, length, 0, ended));
    }
  }
}
