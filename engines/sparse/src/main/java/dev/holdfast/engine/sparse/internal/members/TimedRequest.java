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
 * One request to a replica of this node whose disk may hang: the waiting caller can be answered
 * without it. It is carried out on a thread of its own, or on one that a watchdog relieves. It
 * reads into a buffer of its own, because the given one belongs to another request as soon as that
 * is answered. Pooled; carried out once in a life.
 */
final class TimedRequest extends InFlightQueue.Request<TimedRequest>
    implements MemberCompletion, Runnable {
  // Of those that one thread is to carry out, one after the other.
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
  // Guarded by this: the thread that waits for the disk, if another one can continue its run.
  private IoThread exposed;
  private long ticket;
  // Of the thread that carries it out.
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

  /** Returns whether it certainly takes as long as the disk needs. */
  boolean waitsForDisk() {
    return kind == Kind.SYNC || kind == Kind.EXTENTS || (kind == Kind.READ && uncached);
  }

  /** Returns the number of its bytes. */
  long length() {
    return length;
  }

  /** Starts to wait. */
  synchronized void begin(MemberCompletion completion, long now) {
    told = completion;
    begun = false;
    since = now;
  }

  long since() {
    return since;
  }

  /** Carries out this one and those behind it. */
  @Override
  public void run() {
    carryOutAll(null);
  }

  /** Carries out this one and those behind it on the calling thread, which may be relieved. */
  void runOn(IoThread caller) {
    carryOutAll(caller);
  }

  private void carryOutAll(IoThread caller) {
    IoThread relievable = caller;
    TimedRequest next;
    for (TimedRequest request = this; request != null; request = next) {
      // It may be in its next life as soon as it is answered.
      next = request.behind;
      request.behind = null;
      if (!member.carryOut(request, relievable)) {
        relievable = null;
      }
    }
  }

  /** Fails this one and those behind it, none of which was carried out. */
  void refuseAll(Error cause) {
    TimedRequest next;
    for (TimedRequest request = this; request != null; request = next) {
      next = request.behind;
      request.behind = null;
      member.refuse(request, cause);
    }
  }

  /**
   * Carries it out; the answer comes before this returns.
   *
   * @param caller the calling thread if another one can continue its run, else null
   * @return false when another one does
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

  /** Lets another thread continue the run of the one that hangs with this request. */
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

  // Not once it is answered: its buffer belongs to the caller again.
  private synchronized boolean beginsNow(IoThread caller, long exposure) {
    begun = told != null;
    exposed = begun ? caller : null;
    ticket = exposure;
    return begun;
  }

  private void carryOut(LocalReplica replica) {
    switch (kind) {
      case READ -> read(replica);
      // Others use the buffer at the same time, each with a position of its own.
      case WRITE -> replica.write(offset, buffer.duplicate(), position, (int) length, this);
      case ZERO -> replica.zero(offset, length, allocated, this);
      case SYNC -> replica.sync(this);
      case EXTENTS -> replica.extents(offset, length, this::visit, this);
    }
  }

  // By pieces, so that many large reads do not need much memory.
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

  // Returns whether the buffer is still this request's.
  private synchronized boolean copied(ByteBuffer piece, int at, int count) {
    if (told != null) {
      buffer.put(position + at, piece, 0, count);
    }
    return told != null;
  }

  // No visitor is called after another member has reported the range.
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
   * Answers it without waiting any longer; its later effects on the replica are ignored. A write
   * that hangs has the buffer until the file system returns it: it is held for as long.
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
