package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupContent;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Read-only device with the content of a backup. Several lanes read blocks. A block is always read
 * by the same lane, so that small reads of one block cost one request to the target.
 */
final class BackupDevice implements BlockDevice {
  private static final int BLOCK = 4096;

  /** One lane reads adjacent small blocks, so that it fetches them with one request. */
  private static final int STRIPE = 1 << 20;

  private final BackupContent content;
  private final Executor threads;
  private final String name;
  private final List<Lane> lanes = new ArrayList<>();
  private int inFlight;
  private boolean closed;

  /**
   * Creates a device, which closes the content when it is closed.
   *
   * @param most maximum number of blocks that are read at a time, if memory permits
   */
  BackupDevice(BackupContent content, int most, Executor threads) {
    this.content = content;
    this.threads = threads;
    this.name = "backup " + content.backup().summary().name();
    for (int i = content.affordable(most); i > 0; i--) {
      lanes.add(new Lane(content.cursor()));
    }
  }

  /** Keeps the lock at the target; see {@link BackupContent#keep}. */
  void keep() throws StorageException {
    content.keep();
  }

  @Override
  public long size() {
    return content.backup().volumeSizeBytes();
  }

  @Override
  public int blockSize() {
    return BLOCK;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (!BlockRanges.inside(offset, target.remaining(), size(), completion) || !begin(completion)) {
      return;
    }
    int block = Math.max(STRIPE, content.backup().summary().blockSize());
    List<Part> parts = new ArrayList<>();
    Reading reading = new Reading(target, completion);
    long at = offset;
    for (int from = target.position(); from < target.limit(); ) {
      int length = (int) Math.min(target.limit() - from, block - at % block);
      parts.add(new Part(at, target.slice(from, length), reading));
      from += length;
      at += length;
    }
    if (parts.isEmpty()) {
      reading.end();
      return;
    }
    reading.left.set(parts.size());
    parts.forEach(part -> lanes.get((int) (part.offset / block % lanes.size())).add(part));
  }

  /** Counts a request, or refuses it if the device is closed. */
  private boolean begin(Completion completion) {
    synchronized (this) {
      if (!closed) {
        inFlight++;
        return true;
      }
    }
    completion.completed(new StorageException(ErrorCode.IO, name + ": its export has ended"));
    return false;
  }

  private synchronized void ended() {
    inFlight--;
    notifyAll();
  }

  /** A read, which completes with the last of its parts. */
  private final class Reading {
    private final ByteBuffer target;
    private final Completion completion;
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicReference<StorageException> failure = new AtomicReference<>();

    Reading(ByteBuffer target, Completion completion) {
      this.target = target;
      this.completion = completion;
    }

    void ended(StorageException why) {
      if (why != null) {
        failure.compareAndSet(null, why);
      }
      if (left.decrementAndGet() == 0) {
        end();
      }
    }

    void end() {
      if (failure.get() == null) {
        target.position(target.limit());
      }
      try {
        completion.completed(failure.get());
      } finally {
        BackupDevice.this.ended();
      }
    }
  }

  /** The part of a read within one block. */
  private record Part(long offset, ByteBuffer target, Reading reading) {}

  /** Reads parts one after the other. */
  private final class Lane implements Runnable {
    private final BackupContent.Cursor cursor;
    private final Deque<Part> parts = new ArrayDeque<>();
    private boolean running;

    Lane(BackupContent.Cursor cursor) {
      this.cursor = cursor;
    }

    void add(Part part) {
      boolean start;
      synchronized (this) {
        parts.add(part);
        start = !running;
        running = true;
      }
      if (start) {
        try {
          threads.execute(this);
        } catch (RejectedExecutionException e) {
          refuse(new StorageException(ErrorCode.IO, name + ": the node stops", e));
        }
      }
    }

    private void refuse(StorageException why) {
      Part part = next();
      while (part != null) {
        part.reading.ended(why);
        part = next();
      }
    }

    private synchronized Part next() {
      Part part = parts.poll();
      running = part != null;
      return part;
    }

    @Override
    public void run() {
      Part part = next();
      while (part != null) {
        part.reading.ended(read(part));
        part = next();
      }
    }

    /** Returns the failure of reading a part, null on success. */
    private StorageException read(Part part) {
      try {
        cursor.read(part.offset, part.target);
        return null;
      } catch (StorageException e) {
        return e;
      } catch (RuntimeException | Error e) {
        return new StorageException(ErrorCode.INTERNAL, name + " could not be read: " + e, e);
      }
    }
  }

  private void refuse(Completion completion) {
    completion.completed(new StorageException(ErrorCode.UNSUPPORTED, name + " can only be read"));
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
    if (!BlockRanges.inside(offset, length, size(), completion) || !begin(completion)) {
      return;
    }
    try {
      new Extents(offset, offset + length, visitor).visit();
      completion.completed(null);
    } finally {
      ended();
    }
  }

  /** Reports the blocks of the backup as data, and the ranges between them as holes. */
  private final class Extents {
    private final long end;
    private final ExtentVisitor visitor;
    private final long start;
    private long at;
    private boolean more = true;

    Extents(long start, long end, ExtentVisitor visitor) {
      this.start = start;
      this.end = end;
      this.visitor = visitor;
      this.at = start;
    }

    void visit() {
      content.allocated(
          start,
          end - start,
          (from, length) -> {
            report(from, ExtentKind.HOLE);
            report(from + length, ExtentKind.DATA);
          });
      report(end, ExtentKind.HOLE);
    }

    private void report(long to, ExtentKind kind) {
      if (more && to > at) {
        more = visitor.extent(at, to - at, kind);
        at = to;
      }
    }
  }

  /** Refuses further requests, and waits for those in flight. */
  @Override
  public void close() {
    boolean interrupted = false;
    synchronized (this) {
      closed = true;
      while (inFlight > 0) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    content.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
