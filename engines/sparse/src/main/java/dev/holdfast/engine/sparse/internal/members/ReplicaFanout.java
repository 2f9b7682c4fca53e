package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The current replicas as one device: every change goes to all of them concurrently, a read to one.
 * Requests start and end on the caller's thread, unless a member is on another node or an earlier
 * overlapping request must end first. A single local replica without snapshots needs no ordering
 * and no object per request.
 */
public final class ReplicaFanout {
  /** Receives the end of each admitted request. */
  @FunctionalInterface
  interface Sink {
    void ended(int ticket, Completion completion, StorageException failure, int flags);
  }

  private final WriteIntents intents;
  private final FailureRule failureRule;
  private final Executor executor;
  private final RangeQueue queue;
  private final IntentMarker marker;
  private final RequestPool pool = new RequestPool(this);
  private volatile MemberSet team;
  private volatile Sink sink;

  public ReplicaFanout(
      List<Member> current, WriteIntents intents, FailureRule failureRule, Executor executor) {
    this.team = new MemberSet(current, List.of());
    team.attend();
    this.intents = intents;
    this.failureRule = failureRule;
    this.executor = executor;
    this.queue = new RangeQueue(executor);
    this.marker = new IntentMarker(intents, failureRule, executor, this::team);
  }

  /** Sets the receiver of ended requests. Called once, before the first request. */
  void tell(Sink told) {
    sink = told;
  }

  public MemberSet team() {
    return team;
  }

  public List<Member> current() {
    return team.current();
  }

  /** Replaces the team; no request may be in flight. */
  void replace(MemberSet next) {
    next.attend();
    team = next;
  }

  void read(long offset, ByteBuffer target, int ticket, Completion completion) {
    LocalReplica alone = team.alone();
    if (alone == null) {
      pool.take(ticket, completion, 0).read(team, offset, target);
      return;
    }
    StorageException failure = null;
    try {
      alone.read(offset, target);
    } catch (IOException e) {
      failure = StorageException.io("replica " + alone.name(), e);
    } catch (RuntimeException | Error e) {
      failure = defect(alone, e);
    }
    sink.ended(ticket, completion, failure, 0);
  }

  void write(long offset, ByteBuffer source, int flags, int ticket, Completion completion) {
    LocalReplica alone = team.alone();
    if (alone == null || !intents.covers(offset, source.remaining())) {
      pool.take(ticket, completion, flags).write(team, offset, source);
      return;
    }
    StorageException failure = null;
    try {
      alone.write(offset, source);
    } catch (IOException e) {
      failure = StorageException.io("replica " + alone.name(), e);
    } catch (RuntimeException | Error e) {
      failure = defect(alone, e);
    }
    sink.ended(ticket, completion, failure, flags);
  }

  void zero(
      long offset, long length, boolean allocated, int flags, int ticket, Completion completion) {
    pool.take(ticket, completion, flags).zero(team, offset, length, allocated);
  }

  void extents(long offset, long length, ExtentVisitor visitor, int ticket, Completion completion) {
    pool.take(ticket, completion, 0).extents(team, offset, length, visitor);
  }

  /** Makes the members' durable marks equal to those in memory after marks were cleared. */
  void storeMarks() {
    marker.storeMarks();
  }

  WriteIntents intents() {
    return intents;
  }

  FailureRule failureRule() {
    return failureRule;
  }

  Executor executor() {
    return executor;
  }

  RangeQueue queue() {
    return queue;
  }

  IntentMarker marker() {
    return marker;
  }

  /** Ends a request; its object may be reused. */
  void ended(MemberRequest request, int ticket, Completion completion, StorageException failure) {
    int flags = request.flags();
    pool.give(request);
    sink.ended(ticket, completion, failure, flags);
  }

  /** Returns the failure for a request that met a defect or lack of memory. */
  static StorageException defect(Member member, Throwable cause) {
    return new StorageException(
        ErrorCode.INTERNAL, "replica " + member.name() + ": " + cause, cause);
  }
}
