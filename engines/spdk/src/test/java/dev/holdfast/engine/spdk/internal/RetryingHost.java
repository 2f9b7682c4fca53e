package dev.holdfast.engine.spdk.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.answer.NvmeStatusException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A host that repeats a request for a limited time while its only path is inaccessible, as the
 * kernel's multipath does.
 */
final class RetryingHost implements HostConnection {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final BlockDevice device;

  RetryingHost(BlockDevice device) {
    this.device = device;
  }

  @Override
  public long size() {
    return device.size();
  }

  /** A request. */
  private interface Request<T> {
    T run(DeviceIo io) throws StorageException;
  }

  private <T> T retried(Request<T> request) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return request.run(new DeviceIo(device));
      } catch (StorageException e) {
        if (!isInaccessible(e) || System.nanoTime() > end) {
          throw new IOException(e);
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private static boolean isInaccessible(StorageException failure) {
    return isInaccessible((Throwable) failure) || isInaccessible(failure.getCause());
  }

  private static boolean isInaccessible(Throwable failure) {
    return failure instanceof NvmeStatusException answer
        && answer.status() == NvmeStatusException.INACCESSIBLE;
  }

  @Override
  public byte[] read(long offset, int length) throws IOException {
    return retried(io -> io.read(offset, length));
  }

  @Override
  public void write(long offset, byte[] content) throws IOException {
    boolean unused =
        retried(
            io -> {
              io.write(offset, content);
              return true;
            });
  }

  @Override
  public void flush() throws IOException {
    boolean unused =
        retried(
            io -> {
              io.flush();
              return true;
            });
  }

  @Override
  public void close() {
    device.close();
  }
}
