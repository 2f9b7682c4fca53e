package dev.holdfast.datapath.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** A snapshot opened for reading; rejects changes. */
public final class FakeSnapshotDevice implements BlockDevice {
  private final byte[] content;

  public FakeSnapshotDevice(byte[] content) {
    this.content = content;
  }

  private static void refuse(Completion completion) {
    completion.completed(new StorageException(ErrorCode.UNSUPPORTED, "a snapshot is read only"));
  }

  @Override
  public long size() {
    return content.length;
  }

  @Override
  public int blockSize() {
    return 4096;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    int length = target.remaining();
    if (BlockRanges.inside(offset, length, content.length, completion)) {
      target.put(content, (int) offset, length);
      completion.completed(null);
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    refuse(completion);
  }

  @Override
  public void flush(Completion completion) {
    completion.completed(null);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    refuse(completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    refuse(completion);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    visitor.extent(offset, length, ExtentKind.DATA);
    completion.completed(null);
  }

  @Override
  public void close() {}
}
