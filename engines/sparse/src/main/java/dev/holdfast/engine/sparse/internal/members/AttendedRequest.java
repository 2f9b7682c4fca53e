package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.UnderWay;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * One request to a replica of this node that is carried out on another thread, because the disk may
 * hang: whoever waits can be answered without it. It reads into a buffer of its own, for the one it
 * was given is somebody else's as soon as that is answered. Pooled; carried out once in a life.
 */
final class AttendedRequest extends UnderWay.Request<AttendedRequest>
    implements MemberCompletion, Runnable {
  // Of those that one thread is to carry out, one after the other.
  AttendedRequest behind;

  private enum Kind {
    READ,
    WRITE,
    ZERO,
    SYNC,
    EXTENTS
  }

  // What is kept of a buffer from one life to the next.
  private static final int KEPT = 64 << 10;

  private final AttendedMember member;
  private Kind kind;
  private long offset;
  private long length;
  private boolean allocated;
  private int position;
  private ByteBuffer buffer;
  private ByteBuffer own = ByteBuffer.allocate(0);
  private ExtentVisitor visitor;
  private MemberCompletion told;
  private long since;
  // Of the thread that carries it out.
  private MemberCompletion waiting;
  private StorageException failure;
  private long done;

  AttendedRequest(AttendedMember member) {
    this.member = member;
  }

  AttendedRequest read(long from, ByteBuffer target, int at, int count) {
    kind = Kind.READ;
    buffer = target;
    position = at;
    return range(from, count);
  }

  AttendedRequest write(long from, ByteBuffer source, int at, int count) {
    kind = Kind.WRITE;
    buffer = source;
    position = at;
    return range(from, count);
  }

  AttendedRequest zero(long from, long count, boolean keepAllocated) {
    kind = Kind.ZERO;
    allocated = keepAllocated;
    return range(from, count);
  }

  AttendedRequest extents(long from, long count, ExtentVisitor each) {
    kind = Kind.EXTENTS;
    visitor = each;
    return range(from, count);
  }

  AttendedRequest sync() {
    kind = Kind.SYNC;
    return range(0, 0);
  }

  private AttendedRequest range(long from, long count) {
    offset = from;
    length = count;
    return this;
  }

  /** Begins to wait. */
  synchronized void begin(MemberCompletion completion, long now) {
    told = completion;
    since = now;
  }

  long since() {
    return since;
  }

  /** Carries out this one and those behind it. */
  @Override
  public void run() {
    AttendedRequest next;
    for (AttendedRequest request = this; request != null; request = next) {
      // It may be in its next life as soon as it is answered.
      next = request.behind;
      request.behind = null;
      member.carryOut(request);
    }
  }

  /** Fails this one and those behind it, none of which was carried out. */
  void refuseAll(Error cause) {
    AttendedRequest next;
    for (AttendedRequest request = this; request != null; request = next) {
      next = request.behind;
      request.behind = null;
      member.refuse(request, cause);
    }
  }

  /** Carries it out; the answer comes before this returns. */
  void on(LocalReplica replica) {
    try {
      carryOut(replica);
    } catch (RuntimeException | Error e) {
      completed(Members.defect(replica, e), 0);
    }
  }

  private void carryOut(LocalReplica replica) {
    switch (kind) {
      case READ -> {
        int count = (int) length;
        own = own.capacity() < count ? ByteBuffer.allocateDirect(count) : own;
        replica.read(offset, own, 0, count, this);
      }
      // Others use the buffer at the same time, each with a position of its own.
      case WRITE -> replica.write(offset, buffer.duplicate(), position, (int) length, this);
      case ZERO -> replica.zero(offset, length, allocated, this);
      case SYNC -> replica.sync(this);
      case EXTENTS -> replica.extents(offset, length, this::visit, this);
    }
  }

  // Nobody is visited once somebody else has told of the range.
  private synchronized boolean visit(long from, long count, ExtentKind extent) {
    return told != null && visitor.extent(from, count, extent);
  }

  @Override
  public void completed(StorageException cause, long count) {
    synchronized (this) {
      if (told != null && cause == null && kind == Kind.READ) {
        buffer.put(position, own, 0, (int) length);
      }
      waiting = told;
      told = null;
      failure = cause;
      done = count;
    }
  }

  /** Returns whom to tell that it was carried out, null when nobody waits any more. */
  MemberCompletion waiting() {
    return waiting;
  }

  StorageException failure() {
    return failure;
  }

  long done() {
    return done;
  }

  /** Answers it without waiting any longer; what it still does to the replica counts for nobody. */
  void abandon(StorageException cause) {
    MemberCompletion left;
    synchronized (this) {
      left = told;
      told = null;
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
    own = own.capacity() > KEPT ? ByteBuffer.allocate(0) : own;
  }
}
