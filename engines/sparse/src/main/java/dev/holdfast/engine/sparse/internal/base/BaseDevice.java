package dev.holdfast.engine.sparse.internal.base;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of a base as a device. Requests complete on the caller's thread. */
final class BaseDevice implements BlockDevice {
  /** Decides whether the content may change and receives its changes. */
  interface Changes {
    /**
     * Checks that the content may change.
     *
     * @throws StorageException UNSUPPORTED when the content is sealed
     */
    void check() throws StorageException;

    /** Records that a range was written. */
    void written(long offset, long length);

    /** Makes all written data durable. */
    void flush() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(BaseDevice.class);
  private static final int BLOCK = 4096;

  private final String name;
  private final ReplicaFile file;
  private final long size;
  private final Changes changes;
  private final Runnable whenClosed;
  // Requests hold the read lock; closing takes the write lock and so waits for them.
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private boolean closed;

  BaseDevice(String name, ReplicaFile file, long size, Changes changes, Runnable whenClosed) {
    this.name = name;
    this.file = file;
    this.size = size;
    this.changes = changes;
    this.whenClosed = whenClosed;
  }

  /** Access to the file. */
  private interface Access {
    void run() throws IOException, StorageException;
  }

  private void run(long offset, long length, Completion completion, Access access) {
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    StorageException failure = null;
    lock.readLock().lock();
    try {
      if (closed) {
        failure = new StorageException(ErrorCode.IO, name + " is closed");
      } else {
        access.run();
      }
    } catch (StorageException e) {
      failure = e;
    } catch (IOException e) {
      failure = StorageException.io(name, e);
    } catch (RuntimeException | Error e) {
      failure = new StorageException(ErrorCode.INTERNAL, name + ": " + e, e);
    } finally {
      lock.readLock().unlock();
    }
    completion.completed(failure);
  }

  private void change(long offset, long length, int flags, Completion completion, Access access) {
    run(
        offset,
        length,
        completion,
        () -> {
          changes.check();
          access.run();
          changes.written(offset, length);
          if ((flags & IoFlags.FUA) != 0) {
            changes.flush();
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

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    run(offset, target.remaining(), completion, () -> file.read(target, offset));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    change(offset, source.remaining(), flags, completion, () -> file.write(source, offset));
  }

  @Override
  public void flush(Completion completion) {
    run(0, 0, completion, changes::flush);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    change(offset, length, flags, completion, () -> file.punch(offset, length));
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    boolean allocated = (flags & IoFlags.NO_HOLE) != 0;
    change(
        offset,
        length,
        flags,
        completion,
        () -> {
          if (allocated) {
            file.zero(offset, length);
          } else {
            file.punch(offset, length);
          }
        });
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    run(offset, length, completion, () -> visit(offset, offset + length, visitor));
  }

  private void visit(long from, long end, ExtentVisitor visitor) throws IOException {
    boolean more = true;
    for (long at = from; more && at < end; ) {
      long found = file.nextData(at);
      long data = found < 0 ? end : Math.min(end, found);
      if (data > at) {
        more = file.visitHole(at, data, visitor);
        at = data;
      } else {
        long hole = Math.min(end, Math.max(at + 1, file.nextHole(at)));
        more = visitor.extent(at, hole - at, ExtentKind.DATA);
        at = hole;
      }
    }
  }

  /** An action during which no request is in flight. */
  interface Alone {
    void run() throws IOException;
  }

  /** Waits for the requests in flight and runs alone. */
  void alone(Alone action) throws IOException {
    lock.writeLock().lock();
    try {
      action.run();
    } finally {
      lock.writeLock().unlock();
    }
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      file.close();
    } catch (IOException e) {
      // The failure concerns only the descriptor: a flush or the sealing already synced the data.
      LOG.warn("{} could not be closed: {}", name, e.getMessage());
    } finally {
      lock.writeLock().unlock();
    }
    whenClosed.run();
  }
}
