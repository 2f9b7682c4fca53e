package ${package};

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A file as a device. It reaches as far as was written; behind its end are zeroes. The lock orders
 * all requests, which is simple and slow.
 */
final class FileDevice implements BlockDevice {
  private static final int BLOCK = 4096;
  private static final ByteBuffer ZEROES = ByteBuffer.allocateDirect(1 << 16);

  private final String volume;
  private final long size;
  private final FileChannel file;
  private StorageException ended;

  FileDevice(String volume, long size, FileChannel file) {
    this.volume = volume;
    this.size = size;
    this.file = file;
  }

  synchronized boolean isOpen() {
    return ended == null;
  }

  /** Ends it, durably if asked to; returns false when it had ended before. */
  synchronized boolean end(StorageException cause, boolean durable) throws IOException {
    if (ended != null) {
      return false;
    }
    ended = cause;
    try (file) {
      if (durable) {
        file.force(true);
      }
    }
    return true;
  }

  @Override
  public void close() {
    try {
      end(new StorageException(ErrorCode.IO, volume + " is closed"), false);
    } catch (IOException e) {
      throw new UncheckedIOException(volume + " cannot be closed", e);
    }
  }

  private interface Action {
    void run() throws IOException;
  }

  // Every request goes through here.
  private void run(long offset, long length, Completion completion, Action action) {
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    StorageException failure;
    synchronized (this) {
      failure = ended;
      if (failure == null) {
        try {
          action.run();
        } catch (IOException e) {
          failure = new StorageException(ErrorCode.IO, volume + ": " + e.getMessage(), e);
        }
      }
    }
    completion.completed(failure);
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    run(
        offset,
        target.remaining(),
        completion,
        () -> {
          long at = offset;
          int count = 0;
          while (target.hasRemaining() && count >= 0) {
            count = file.read(target, at);
            at += count;
          }
          while (target.hasRemaining()) {
            target.put(zeroes(target.remaining()));
          }
        });
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    run(
        offset,
        source.remaining(),
        completion,
        () -> {
          put(offset, source);
          settle(flags);
        });
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    run(
        offset,
        length,
        completion,
        () -> {
          boolean allocated = (flags & IoFlags.NO_HOLE) != 0;
          long end = allocated ? offset + length : Math.min(offset + length, file.size());
          for (long at = offset; at < end; ) {
            at += put(at, zeroes(end - at));
          }
          settle(flags);
        });
  }

  private int put(long offset, ByteBuffer source) throws IOException {
    int length = source.remaining();
    for (long at = offset; source.hasRemaining(); ) {
      at += file.write(source, at);
    }
    return length;
  }

  private void settle(int flags) throws IOException {
    if ((flags & IoFlags.FUA) != 0) {
      file.force(true);
    }
  }

  private static ByteBuffer zeroes(long length) {
    return ZEROES.duplicate().limit((int) Math.min(length, ZEROES.capacity()));
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void flush(Completion completion) {
    run(0, 0, completion, () -> file.force(true));
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    run(
        offset,
        length,
        completion,
        () -> {
          if (length > 0) {
            visitor.extent(offset, length, ExtentKind.DATA);
          }
        });
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return BLOCK;
  }
}
