package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoThread;
import dev.holdfast.block.UnreturnedMemory;
import dev.holdfast.engine.sparse.internal.replica.InFlightQueue;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One request to a local replica whose disk may hang; its caller can be answered without the
 * replica. Runs on a separate thread, or on a thread that a watchdog can relieve. Reads into a
 * separate buffer, because the caller may reuse its buffer after the answer. Pooled; executed once
 * per use.
 */
final class TimedRequest extends InFlightQueue.Request<TimedRequest>
    implements MemberCompletion, Runnable {
  // Next request of those that one thread executes, one after the other.
  TimedRequest behind;

  private enum Kind {
    READ,
    WRITE,
    ZERO,
    SYNC,
    EXTENTS
  }

  private final TimedMember member;
  private Kind kind;
  private long offset;
  private long length;
  private boolean allocated;
  private boolean uncached;
  private int position;
  private ByteBuffer buffer;
  private ExtentVisitor visitor;
  private MemberCompletion told;
  private boolean begun;
  private final AtomicReference<UnreturnedMemory.Hold> unreturned = new AtomicReference<>();
  private long since;
  // Guarded by this: the thread that waits for the disk, if another thread can continue its run.
  private IoThread exposed;
  private long ticket;
  // Used only by the thread that executes the request.
  private MemberCompletion waiting;
  private StorageException failure;
  private long done;

  TimedRequest(TimedMember member) {
    this.member = member;
  }

  TimedRequest read(long from, ByteBuffer target, int at, int count, boolean fromDisk) {
    kind = Kind.READ;
    uncached = fromDisk;
    buffer = target;
    position = at;
    return range(from, count);
  }

  TimedRequest write(long from, ByteBuffer source, int at, int count) {
    kind = Kind.WRITE;
    buffer = source;
    position = at;
    return range(from, count);
  }

  TimedRequest zero(long from, long count, boolean keepAllocated) {
    kind = Kind.ZERO;
    allocated = keepAllocated;
    return range(from, count);
  }

  TimedRequest extents(long from, long count, ExtentVisitor each) {
    kind = Kind.EXTENTS;
    visitor = each;
    return range(from, count);
  }

  TimedRequest sync() {
    kind = Kind.SYNC;
    return range(0, 0);
  }

  private TimedRequest range(long from, long count) {
    offset = from;
    length = count;
    return this;
  }

  /** Returns whether the request certainly waits for the disk. */
  boolean waitsForDisk() {
    return kind == Kind.SYNC || kind == Kind.EXTENTS || (kind == Kind.READ && uncached);
  }

  /** Returns the length in bytes. */
  long length() {
    return length;
  }

  /** Starts the wait of the caller. */
  synchronized void begin(MemberCompletion completion, long now) {
    told = completion;
    begun = false;
    since = now;
  }

  long since() {
    return since;
  }

  /** Executes this request and those behind it. */
  @Override
  public void run() {
    carryOutAll(null);
  }

  /** Executes this request and those behind it on the calling thread, which may be relieved. */
  void runOn(IoThread caller) {
    carryOutAll(caller);
  }

  private void carryOutAll(IoThread caller) {
    IoThread relievable = caller;
    TimedRequest next;
    for (TimedRequest request = this; request != null; request = next) {
      // The object may be reused as soon as the request is answered.
      next = request.behind;
      request.behind = null;
      if (!member.carryOut(request, relievable)) {
        relievable = null;
      }
    }
  }

  /** Fails this request and those behind it; none of them was executed. */
  void refuseAll(Error cause) {
    TimedRequest next;
    for (TimedRequest request = this; request != null; request = next) {
      next = request.behind;
      request.behind = null;
      member.refuse(request, cause);
    }
  }

  /**
   * Executes the request; it completes before this returns.
   *
   * @param caller the calling thread if another one can continue its run, else null
   * @return false when another thread continues the run
   */
  boolean on(LocalReplica replica, IoThread caller) {
    if (caller == null) {
      begin(replica, null, 0);
      return true;
    }
    long exposure = caller.expose();
    boolean unrelieved = false;
    try {
      begin(replica, caller, exposure);
    } finally {
      unrelieved = caller.cover(exposure);
    }
    return unrelieved;
  }

  /** Lets another thread continue the run of the thread that hangs in this request. */
  void relieve() {
    IoThread hanging;
    long exposure;
    synchronized (this) {
      hanging = exposed;
      exposure = ticket;
    }
    if (hanging != null) {
      boolean unused = hanging.relieve(exposure);
    }
  }

  private void begin(LocalReplica replica, IoThread caller, long exposure) {
    if (!beginsNow(caller, exposure)) {
      return;
    }
    try {
      carryOut(replica);
    } catch (RuntimeException | Error e) {
      completed(ReplicaFanout.defect(replica, e), 0);
    } finally {
      UnreturnedMemory.Hold hold = unreturned.getAndSet(null);
      if (hold != null) {
        hold.close();
      }
    }
  }

  // False once the request is answered, because its buffer belongs to the caller again.
  private synchronized boolean beginsNow(IoThread caller, long exposure) {
    begun = told != null;
    exposed = begun ? caller : null;
    ticket = exposure;
    return begun;
  }

  private void carryOut(LocalReplica replica) {
    switch (kind) {
      case READ -> read(replica);
      // Other members use the buffer concurrently, so each uses a duplicate with its own position.
      case WRITE -> replica.write(offset, buffer.duplicate(), position, (int) length, this);
      case ZERO -> replica.zero(offset, length, allocated, this);
      case SYNC -> replica.sync(this);
      case EXTENTS -> replica.extents(offset, length, this::visit, this);
    }
  }

  // In pieces, so that many large reads do not need much memory.
  private void read(LocalReplica replica) {
    ByteBuffer piece = ReadPieces.take();
    try {
      int count = 0;
      for (int at = 0; at < length; at += count) {
        count = (int) Math.min(piece.capacity(), length - at);
        replica.read(offset + at, piece.clear().limit(count));
        if (!copied(piece, at, count)) {
          break;
        }
      }
      completed(null, length);
    } catch (IOException e) {
      completed(StorageException.io("replica " + replica.name(), e), 0);
    } finally {
      ReadPieces.give(piece);
    }
  }

  // Returns whether the request still owns the buffer.
  private synchronized boolean copied(ByteBuffer piece, int at, int count) {
    if (told != null) {
      buffer.put(position + at, piece, 0, count);
    }
    return told != null;
  }

  // The visitor is not called after another member has reported the range.
  private synchronized boolean visit(long from, long count, ExtentKind extent) {
    return told != null && visitor.extent(from, count, extent);
  }

  @Override
  public void completed(StorageException cause, long count) {
    synchronized (this) {
      waiting = told;
      told = null;
      exposed = null;
      failure = cause;
      done = count;
    }
  }

  /** Returns the completion to call, null when the caller stopped waiting. */
  MemberCompletion waiting() {
    return waiting;
  }

  StorageException failure() {
    return failure;
  }

  long done() {
    return done;
  }

  /**
   * Completes the request without waiting any longer; its later effects on the replica are ignored.
   * A hanging write uses the buffer until the file system returns, so the buffer is held until
   * then.
   */
  void abandon(StorageException cause) {
    MemberCompletion left;
    synchronized (this) {
      left = told;
      told = null;
      if (left != null && begun && kind == Kind.WRITE) {
        unreturned.set(UnreturnedMemory.hold(buffer, position, (int) length));
      }
    }
    if (left != null) {
      left.completed(cause, 0);
    }
  }

  @Override
  protected void clear() {
    buffer = null;
    visitor = null;
    waiting = null;
    failure = null;
  }
}
