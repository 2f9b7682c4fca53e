package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A device over an array. */
final class ArrayDevice implements BlockDevice {
  private final byte[] bytes;
  private boolean closed;

  ArrayDevice(int size) {
    bytes = new byte[size];
  }

  @Override
  public long size() {
    return bytes.length;
  }

  @Override
  public int blockSize() {
    return 4096;
  }

  private void inside(long offset, long length, Completion completion, Runnable effect) {
    if (!BlockRanges.inside(offset, length, bytes.length, completion)) {
      return;
    }
    synchronized (this) {
      if (!closed) {
        effect.run();
      }
    }
    completion.completed(closed ? new StorageException(ErrorCode.IO, "closed") : null);
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    inside(
        offset,
        target.remaining(),
        completion,
        () -> target.put(bytes, (int) offset, target.remaining()));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    inside(
        offset,
        source.remaining(),
        completion,
        () -> source.get(bytes, (int) offset, source.remaining()));
  }

  @Override
  public void flush(Completion completion) {
    inside(0, 0, completion, () -> {});
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    inside(
        offset,
        length,
        completion,
        () -> Arrays.fill(bytes, (int) offset, (int) (offset + length), (byte) 0));
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    inside(
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
  public synchronized void close() {
    closed = true;
  }
}
