package dev.holdfast.engine.sparse.internal.serve;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * A device as another node uses it, for one session. After the end of the session, only success is
 * reported unchanged. The device may fail requests because it is being closed, and that must not
 * reach the node's clients as a disk error. The node repeats such requests elsewhere.
 */
final class ForwardingTarget implements BlockDevice {
  private final String volume;
  private final BlockDevice below;
  private volatile boolean over;

  ForwardingTarget(String volume, BlockDevice below) {
    this.volume = volume;
    this.below = below;
  }

  /** Ends the session. */
  void end() {
    over = true;
  }

  private StorageException refusal() {
    return new StorageException(
        ErrorCode.FORBIDDEN, "volume " + volume + " no longer admits this node");
  }

  private Completion guarded(Completion completion) {
    return failure -> completion.completed(failure != null && over ? refusal() : failure);
  }

  private boolean refuses(Completion completion) {
    if (over) {
      completion.completed(refusal());
    }
    return over;
  }

  @Override
  public long size() {
    return below.size();
  }

  @Override
  public int blockSize() {
    return below.blockSize();
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (!refuses(completion)) {
      below.read(offset, target, guarded(completion));
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    if (!refuses(completion)) {
      below.write(offset, source, flags, guarded(completion));
    }
  }

  @Override
  public void flush(Completion completion) {
    if (!refuses(completion)) {
      below.flush(guarded(completion));
    }
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    if (!refuses(completion)) {
      below.trim(offset, length, flags, guarded(completion));
    }
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (!refuses(completion)) {
      below.writeZeroes(offset, length, flags, guarded(completion));
    }
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (!refuses(completion)) {
      below.extents(offset, length, visitor, guarded(completion));
    }
  }

  @Override
  public void close() {
    // The owner of the device closes it.
  }
}
