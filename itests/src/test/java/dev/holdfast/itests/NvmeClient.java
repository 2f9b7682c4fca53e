package dev.holdfast.itests;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.NvmeDevice;
import dev.holdfast.nvme.host.NvmeTarget;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * This machine as a host of an NVMe/TCP endpoint, without the kernel. As the kernel does, it
 * connects again when the connection ends and repeats what was not answered. For one thread.
 */
final class NvmeClient implements AutoCloseable {
  private static final Path NAME = Path.of("/etc/nvme/hostnqn");
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long PAUSE = Duration.ofMillis(50).toNanos();

  private final NvmeTarget target;
  private BlockDevice device;
  private final AtomicInteger connections = new AtomicInteger();

  NvmeClient(URI endpoint) throws IOException, StorageException {
    target =
        new NvmeTarget(
            new InetSocketAddress(endpoint.getHost(), endpoint.getPort()),
            endpoint.getPath().substring(1),
            1,
            Files.readString(NAME).strip(),
            UUID.randomUUID(),
            LIMIT);
    device = connected();
  }

  private BlockDevice connected() throws StorageException {
    BlockDevice connected = NvmeDevice.connect(target);
    connections.incrementAndGet();
    return connected;
  }

  /** Returns how often it has connected; for any thread. */
  int connections() {
    return connections.get();
  }

  long size() {
    return device.size();
  }

  /** A request to a device. */
  private interface Request {
    void run(BlockDevice device, Completion completion);
  }

  private void answered(Request request) throws StorageException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        once(request);
        return;
      } catch (StorageException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE);
        reconnect();
      }
    }
  }

  private void once(Request request) throws StorageException, InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<StorageException> failure = new AtomicReference<>();
    request.run(
        device,
        problem -> {
          failure.set(problem);
          ended.countDown();
        });
    ended.await();
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  /** The failed request, which comes next, shows whether it succeeded. */
  private void reconnect() {
    try {
      BlockDevice next = connected();
      device.close();
      device = next;
    } catch (StorageException e) {
      device.close();
    }
  }

  byte[] read(long offset, int length) throws StorageException, InterruptedException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(length);
    answered((to, completion) -> to.read(offset, bytes.clear(), completion));
    byte[] content = new byte[length];
    bytes.clear().get(content);
    return content;
  }

  void write(long offset, byte[] content) throws StorageException, InterruptedException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(content.length).put(content);
    answered((to, completion) -> to.write(offset, bytes.clear(), 0, completion));
  }

  @Override
  public void close() {
    device.close();
  }
}
