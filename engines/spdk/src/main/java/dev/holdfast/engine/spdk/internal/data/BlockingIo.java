package dev.holdfast.engine.spdk.internal.data;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Requests to a device that block until they end. The device limits their time. */
public final class BlockingIo {
  private BlockingIo() {}

  /** Starts a request. */
  private interface Start {
    void run(Completion completion);
  }

  private static void await(String what, Start request) throws StorageException {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<StorageException> failure = new AtomicReference<>();
    request.run(
        problem -> {
          failure.set(problem);
          ended.countDown();
        });
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, what + ": interrupted", e);
    }
    StorageException problem = failure.get();
    if (problem != null) {
      throw new StorageException(problem.code(), what + ": " + problem.getMessage(), problem);
    }
  }

  /**
   * Reads.
   *
   * @param what is read, begins messages
   * @return the bytes, from position 0
   */
  public static ByteBuffer read(String what, BlockDevice device, long offset, int length)
      throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(length);
    await(what, completion -> device.read(offset, bytes, completion));
    return bytes.clear();
  }

  /** Writes all remaining bytes. */
  public static void write(String what, BlockDevice device, long offset, ByteBuffer bytes)
      throws StorageException {
    await(what, completion -> device.write(offset, bytes, 0, completion));
  }

  /** Flushes. */
  public static void flush(String what, BlockDevice device) throws StorageException {
    await(what, device::flush);
  }
}
