package dev.holdfast.image.internal.content;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Blocking requests to a device. */
public final class BlockIo {
  private static final long LIMIT_SECONDS = 120;

  private BlockIo() {}

  private interface Request {
    void send(Completion completion);
  }

  /** Fills a buffer. */
  public static void read(BlockDevice device, long offset, ByteBuffer target)
      throws StorageException {
    await("read", completion -> device.read(offset, target, completion));
  }

  /** Writes a buffer. */
  public static void write(BlockDevice device, long offset, ByteBuffer source)
      throws StorageException {
    await("write", completion -> device.write(offset, source, IoFlags.NONE, completion));
  }

  /** Makes a range read as zeroes. */
  public static void writeZeroes(BlockDevice device, long offset, long length)
      throws StorageException {
    await(
        "write zeroes", completion -> device.writeZeroes(offset, length, IoFlags.NONE, completion));
  }

  /** Makes all earlier writes durable. */
  public static void flush(BlockDevice device) throws StorageException {
    await("flush", device::flush);
  }

  /** Reports how a range is stored. */
  public static void extents(BlockDevice device, long offset, long length, ExtentVisitor visitor)
      throws StorageException {
    await("extents", completion -> device.extents(offset, length, visitor, completion));
  }

  private static void await(String what, Request request) throws StorageException {
    CompletableFuture<Void> done = new CompletableFuture<>();
    request.send(
        failure -> {
          if (failure == null) {
            done.complete(null);
          } else {
            done.completeExceptionally(failure);
          }
        });
    try {
      done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StorageException failure
          ? failure
          : new StorageException(ErrorCode.IO, what + " failed: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new StorageException(
          ErrorCode.TIMEOUT, what + ": no answer within " + LIMIT_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, what + " was interrupted", e);
    }
  }
}
