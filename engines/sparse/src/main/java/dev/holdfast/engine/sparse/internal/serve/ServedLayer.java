package dev.holdfast.engine.sparse.internal.serve;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * One layer of a local replica as an engine on another node copies it. Every request passes the
 * session, as requests to the volume do. Operations that need more than the layer's file remain
 * calls.
 */
final class ServedLayer implements BlockDevice {
  private final ReplicaSession session;
  private final String image;
  private volatile long size;

  ServedLayer(ReplicaSession session, String image, long size) {
    this.session = session;
    this.image = image;
    this.size = size;
  }

  void size(long bytes) {
    size = bytes;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return BlockIndex.BLOCK_SIZE;
  }

  /** A request to the layer. */
  @FunctionalInterface
  private interface Work {
    void run() throws StorageException;
  }

  private void inside(Completion completion, Work work) {
    int ticket = session.enter();
    if (ticket < 0) {
      completion.completed(ServedDevice.ended(session));
      return;
    }
    StorageException failure = null;
    try {
      work.run();
    } catch (StorageException e) {
      failure = e;
    } catch (RuntimeException | Error e) {
      failure = ServedDevice.defect(session, e);
    }
    session.leave(ticket);
    completion.completed(failure);
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (BlockRanges.inside(offset, target.remaining(), size, completion)) {
      inside(completion, () -> session.replica().readLayer(image, offset, target));
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    if (flags != 0) {
      completion.completed(unsupported());
    } else if (BlockRanges.inside(offset, source.remaining(), size, completion)) {
      inside(completion, () -> session.replica().writeLayer(image, offset, source));
    }
  }

  @Override
  public void flush(Completion completion) {
    completion.completed(unsupported());
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    completion.completed(unsupported());
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    completion.completed(unsupported());
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    completion.completed(unsupported());
  }

  private StorageException unsupported() {
    return new StorageException(
        ErrorCode.UNSUPPORTED, image + ": a layer is only read and written this way");
  }

  @Override
  public void close() {
    // The owner of the session closes it.
  }
}
