package dev.holdfast.engine.sparse.internal.serve;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;

/**
 * A local replica as an engine on another node reads and writes it. Every request passes the
 * session, which rejects all requests once a later engine was admitted. Reads and writes run on the
 * connection's thread. Slow requests run on another thread, so that they do not delay other
 * requests.
 */
final class ServedDevice implements BlockDevice {
  private final ReplicaSession session;
  private final Executor executor;
  private volatile long size;

  ServedDevice(ReplicaSession session, Executor executor) {
    this.session = session;
    this.executor = executor;
    this.size = session.replica().size();
  }

  /** Sets the size after the volume has grown. */
  void grown(long bytes) {
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

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (!BlockRanges.inside(offset, target.remaining(), size, completion)) {
      return;
    }
    int ticket = session.enter();
    if (ticket < 0) {
      completion.completed(ended(session));
      return;
    }
    StorageException failure = null;
    try {
      session.replica().read(offset, target);
    } catch (IOException e) {
      failure = failed(e);
    } catch (RuntimeException | Error e) {
      failure = defect(session, e);
    }
    session.leave(ticket);
    completion.completed(failure);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    if (!BlockRanges.inside(offset, source.remaining(), size, completion)) {
      return;
    }
    int ticket = session.enter();
    if (ticket < 0) {
      completion.completed(ended(session));
      return;
    }
    StorageException failure = null;
    try {
      session.replica().write(offset, source);
    } catch (IOException e) {
      failure = failed(e);
    } catch (RuntimeException | Error e) {
      failure = defect(session, e);
    }
    session.leave(ticket);
    if (failure == null && (flags & IoFlags.FUA) != 0) {
      flush(completion);
    } else {
      completion.completed(failure);
    }
  }

  @Override
  public void flush(Completion completion) {
    elsewhere(completion, done -> session.replica().sync(done));
  }

  /** Writes exact zeroes: a trim could leave a part that is smaller than a block unchanged. */
  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags & ~IoFlags.NO_HOLE, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    boolean allocated = (flags & IoFlags.NO_HOLE) != 0;
    Completion after =
        (flags & IoFlags.FUA) == 0
            ? completion
            : failure -> {
              if (failure == null) {
                flush(completion);
              } else {
                completion.completed(failure);
              }
            };
    elsewhere(after, done -> session.replica().zero(offset, length, allocated, done));
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (BlockRanges.inside(offset, length, size, completion)) {
      elsewhere(completion, done -> session.replica().extents(offset, length, visitor, done));
    }
  }

  /** A request to the replica that completes before the call returns. */
  @FunctionalInterface
  private interface Work {
    void run(MemberCompletion done);
  }

  private void elsewhere(Completion completion, Work work) {
    int ticket = session.enter();
    if (ticket < 0) {
      completion.completed(ended(session));
      return;
    }
    executor.execute(
        () ->
            work.run(
                (failure, done) -> {
                  session.leave(ticket);
                  completion.completed(failure);
                }));
  }

  static StorageException ended(ReplicaSession session) {
    return new StorageException(
        ErrorCode.FORBIDDEN,
        "the session "
            + session.token()
            + " with replica "
            + session.replica().name()
            + " has ended");
  }

  private StorageException failed(IOException cause) {
    return StorageException.io("replica " + session.replica().name(), cause);
  }

  static StorageException defect(ReplicaSession session, Throwable cause) {
    return new StorageException(
        ErrorCode.INTERNAL, "replica " + session.replica().name() + ": " + cause, cause);
  }

  @Override
  public void close() {
    // The owner of the session closes it.
  }
}
