package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.volume.ChainCoordinator;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Read-only device of a snapshot's content. Reads use any member and run on the executor's threads.
 */
final class SnapshotDevice implements BlockDevice {
  private final String snapshot;
  private final long size;
  private final ChainCoordinator structure;
  private final Executor executor;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Opens a snapshot. The caller has locked the snapshot. */
  SnapshotDevice(String snapshot, long size, ChainCoordinator structure, Executor executor) {
    this.snapshot = snapshot;
    this.size = size;
    this.structure = structure;
    this.executor = executor;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return BlockIndex.BLOCK_SIZE;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (!BlockRanges.inside(offset, target.remaining(), size, completion) || !open(completion)) {
      return;
    }
    try {
      executor.execute(() -> completion.completed(readNow(offset, target)));
    } catch (RejectedExecutionException e) {
      completion.completed(new StorageException(ErrorCode.IO, "the engine stops", e));
    }
  }

  private StorageException readNow(long offset, ByteBuffer target) {
    int start = target.position();
    try {
      structure.ask(
          chain -> {
            chain.read(snapshot, offset, target.position(start));
            return target;
          });
      return null;
    } catch (StorageException e) {
      return e;
    } catch (RuntimeException | Error e) {
      return new StorageException(ErrorCode.INTERNAL, "snapshot " + snapshot, e);
    }
  }

  private boolean open(Completion completion) {
    if (closed.get()) {
      completion.completed(
          new StorageException(ErrorCode.IO, "snapshot " + snapshot + " is closed"));
    }
    return !closed.get();
  }

  private void refuse(Completion completion) {
    completion.completed(
        new StorageException(ErrorCode.UNSUPPORTED, "snapshot " + snapshot + " can only be read"));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    refuse(completion);
  }

  @Override
  public void flush(Completion completion) {
    if (open(completion)) {
      completion.completed(null);
    }
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
    if (BlockRanges.inside(offset, length, size, completion) && open(completion)) {
      if (length > 0) {
        visitor.extent(offset, length, ExtentKind.DATA);
      }
      completion.completed(null);
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      structure.unlock(snapshot);
    }
  }
}
