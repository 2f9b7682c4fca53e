package dev.holdfast.engine.spdk.simulator.internal.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import dev.holdfast.engine.spdk.simulator.fabric.FabricSubsystem;
import dev.holdfast.nvme.host.NvmeDevice;
import dev.holdfast.nvme.host.NvmeTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A port that is closed while a command runs. */
class TcpPortTest {
  private static final String NQN = "nqn.x:slow";
  private static final int BLOCK = 4_096;

  /** An association with one namespace, whose writes wait until the test lets them continue. */
  private static final class SlowAssociation implements ServedAssociation, ServedNamespace {
    private final CountDownLatch writing = new CountDownLatch(1);
    private final Semaphore continuing = new Semaphore(0);
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

    @Override
    public void write(long offset, ByteBuffer source) {
      writing.countDown();
      continuing.acquireUninterruptibly();
      interrupted.complete(Thread.currentThread().isInterrupted());
    }

    @Override
    public int controllerId() {
      return 1;
    }

    @Override
    public FabricSubsystem subsystem() {
      return new FabricSubsystem(NQN, "1", "slow", false);
    }

    @Override
    public List<FabricNamespace> namespaces() {
      return List.of(this);
    }

    @Override
    public List<ServedNamespace> served() {
      return List.of(this);
    }

    @Override
    public int accessState(int group) {
      return 1;
    }

    @Override
    public int accessGroup() {
      return 1;
    }

    @Override
    public void observe(Events events) {}

    @Override
    public boolean isAlive() {
      return true;
    }

    @Override
    public void close() {}

    @Override
    public int id() {
      return 1;
    }

    @Override
    public UUID uuid() {
      return new UUID(1, 1);
    }

    @Override
    public String nguid() {
      return "0".repeat(32);
    }

    @Override
    public int blockSize() {
      return BLOCK;
    }

    @Override
    public long blocks() {
      return 16;
    }

    @Override
    public void read(long offset, ByteBuffer target) {
      target.position(target.limit());
    }

    @Override
    public void flush() {}

    @Override
    public void zero(long offset, long length) {}
  }

  private static InetSocketAddress free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
    }
  }

  /** An interrupt would close the file of the disk, which all connections to the target share. */
  @Test
  void commandInProgressIsNotInterrupted() throws Exception {
    SlowAssociation association = new SlowAssociation();
    InetSocketAddress address = free();
    TcpPort port = TcpPort.open(address, (subsystem, host) -> association);
    NvmeTarget target =
        new NvmeTarget(address, NQN, 1, "nqn.x:host", new UUID(1, 2), Duration.ofSeconds(20));
    try (NvmeDevice device = NvmeDevice.connect(target)) {
      device.write(0, ByteBuffer.allocateDirect(BLOCK), 0, failure -> {});
      association.writing.await();
      port.close();
      association.continuing.release();
      assertThat(association.interrupted.get(20, TimeUnit.SECONDS)).isFalse();
    }
  }
}
