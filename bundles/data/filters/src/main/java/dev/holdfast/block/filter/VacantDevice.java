package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Placeholder below a held gate while the engine is absent: has a size, and no data. */
record VacantDevice(String name, long size, int blockSize) implements BlockDevice {

  private void fail(Completion completion) {
    completion.completed(
        new StorageException(ErrorCode.IO, "volume " + name + ": its engine is not installed"));
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    fail(completion);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    fail(completion);
  }

  @Override
  public void flush(Completion completion) {
    fail(completion);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    fail(completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    fail(completion);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    fail(completion);
  }

  @Override
  public void close() {}
}
