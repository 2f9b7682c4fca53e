package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A snapshot as a device that refuses changes. Thread-safe. */
final class SpdkSnapshotDevice implements BlockDevice {
  private final String name;
  private final BlockDevice below;
  private final long size;
  private final Consumer<SpdkSnapshotDevice> closed;
  private final AtomicBoolean ended = new AtomicBoolean();

  /**
   * Creates a device.
   *
   * @param name of the snapshot, begins messages
   * @param below its connection, closed with this
   * @param size of the volume at the time of the snapshot
   * @param closed told once that this was closed
   */
  SpdkSnapshotDevice(
      String name, BlockDevice below, long size, Consumer<SpdkSnapshotDevice> closed) {
    this.name = name;
    this.below = below;
    this.size = size;
    this.closed = closed;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return below.blockSize();
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (BlockRanges.inside(offset, target.remaining(), size, completion)) {
      below.read(offset, target, completion);
    }
  }

  private void refuse(Completion completion) {
    completion.completed(
        new StorageException(ErrorCode.UNSUPPORTED, name + ": a snapshot cannot be changed"));
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
    if (BlockRanges.inside(offset, length, size, completion)) {
      below.extents(offset, length, visitor, completion);
    }
  }

  @Override
  public void close() {
    if (ended.compareAndSet(false, true)) {
      below.close();
      closed.accept(this);
    }
  }
}
