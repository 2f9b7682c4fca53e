package dev.holdfast.portal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import java.nio.ByteBuffer;

/** An empty device, for sessions that never use it. */
final class IdleBlockDevice implements BlockDevice {
  @Override
  public long size() {
    return 0;
  }

  @Override
  public int blockSize() {
    return 4096;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    completion.completed(null);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    completion.completed(null);
  }

  @Override
  public void flush(Completion completion) {
    completion.completed(null);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    completion.completed(null);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    completion.completed(null);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    completion.completed(null);
  }

  @Override
  public void close() {
    // Holds no resource.
  }
}
