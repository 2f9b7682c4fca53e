package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.replica.InFlightQueue;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** An unanswered request to a member on another node; pooled by its channel. */
final class RemoteRequest extends InFlightQueue.Request<RemoteRequest> implements MemberCompletion {
  private enum Kind {
    READ,
    WRITE,
    ZERO,
    SYNC,
    EXTENTS
  }

  private final ReplicaChannel channel;
  private Kind kind;
  private long offset;
  private long length;
  private ByteBuffer buffer;
  private int position;
  private boolean allocated;
  private ExtentVisitor visitor;
  private MemberCompletion told;
  private long since;

  RemoteRequest(ReplicaChannel channel) {
    this.channel = channel;
  }

  RemoteRequest read(long from, ByteBuffer target, int at, int count) {
    kind = Kind.READ;
    return bytes(from, target, at, count);
  }

  RemoteRequest write(long from, ByteBuffer source, int at, int count) {
    kind = Kind.WRITE;
    return bytes(from, source, at, count);
  }

  private RemoteRequest bytes(long from, ByteBuffer bytes, int at, int count) {
    offset = from;
    buffer = bytes;
    position = at;
    length = count;
    return this;
  }

  RemoteRequest zero(long from, long count, boolean keepAllocated) {
    kind = Kind.ZERO;
    offset = from;
    length = count;
    allocated = keepAllocated;
    return this;
  }

  RemoteRequest sync() {
    kind = Kind.SYNC;
    return this;
  }

  RemoteRequest extents(long from, long count, ExtentVisitor told) {
    kind = Kind.EXTENTS;
    offset = from;
    length = count;
    visitor = told;
    return this;
  }

  RemoteRequest begin(MemberCompletion completion, long now) {
    told = completion;
    since = now;
    return this;
  }

  /** Returns when the request was first sent, in nanoseconds of the member clock. */
  long since() {
    return since;
  }

  boolean isSync() {
    return kind == Kind.SYNC;
  }

  /** Sends the request over a link. */
  void sendOver(ReplicaSessionLink link) {
    switch (kind) {
      case READ -> link.read(offset, buffer, position, (int) length, this);
      case WRITE -> link.write(offset, buffer, position, (int) length, this);
      case ZERO -> link.zero(offset, length, allocated, this);
      case SYNC -> link.sync(this);
      case EXTENTS -> link.extents(offset, length, visitor, this);
    }
  }

  @Override
  public void completed(StorageException failure, long done) {
    if (failure != null && failure.code() == ErrorCode.FORBIDDEN && channel.refused(failure)) {
      return;
    }
    MemberCompletion completion = told;
    channel.answered(this);
    completion.completed(failure, done);
  }

  @Override
  protected void clear() {
    buffer = null;
    visitor = null;
    told = null;
  }
}
