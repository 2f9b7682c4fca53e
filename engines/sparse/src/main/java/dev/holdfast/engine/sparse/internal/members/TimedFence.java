package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;

/**
 * Fences a local replica whose disk may hang. The fence runs on another thread. If another replica
 * admitted the engine, the wait is limited to the time that a check of a whole replica takes; else
 * it is unlimited. A hanging fence continues on its thread; when it ends, its session is closed
 * immediately.
 */
public final class TimedFence {
  // Number of time-outs that an opening may take: it may scan the data and wait for an earlier
  // engine to end.
  private static final int TIMEOUTS = 8;
  private static final int LOOKS = 8;

  private enum State {
    FENCING,
    OVER,
    GIVEN_UP
  }

  private final ReplicaLocation location;
  private final TimedMember.Surroundings around;
  private final BooleanSupplier othersLetIn;
  // Guarded by this.
  private State state = State.FENCING;
  // Null after the end: a later check still references this object and must not keep the replica's
  // index in memory.
  private TimedCall<ReplicaSession> call;

  /**
   * Prepares a fence.
   *
   * @param fencing fences the replica
   * @param othersLetIn whether another replica admitted the engine, so that the volume may open
   *     without this one
   */
  public TimedFence(
      ReplicaLocation location,
      TimedMember.Surroundings around,
      TimedCall.Work<ReplicaSession> fencing,
      BooleanSupplier othersLetIn) {
    this.location = location;
    this.around = around;
    this.othersLetIn = othersLetIn;
    this.call = new TimedCall<>(() -> fence(fencing), 0, around.clock().nanoTime());
  }

  /**
   * Opens the session of the engine.
   *
   * @throws StorageException TIMEOUT when the disk did not answer; else why the engine was not
   *     admitted
   */
  public TimedMember run() throws StorageException {
    TimedCall<ReplicaSession> fencing = fencing();
    try {
      around.executor().execute(fencing);
      around.clock().later(around.timeout().multipliedBy(TIMEOUTS), this::look);
      return new TimedMember(fencing.await(), around);
    } catch (RejectedExecutionException e) {
      throw new StorageException(ErrorCode.IO, "the engine stops", e);
    } finally {
      forget();
    }
  }

  private synchronized TimedCall<ReplicaSession> fencing() {
    return call;
  }

  private synchronized void forget() {
    call = null;
  }

  private ReplicaSession fence(TimedCall.Work<ReplicaSession> fencing) throws StorageException {
    boolean left = true;
    try {
      ReplicaSession session = fencing.run();
      left = over();
      if (left) {
        session.close();
      }
      return session;
    } finally {
      if (left && over()) {
        around.hung().remove(location);
      }
    }
  }

  // Returns whether the last waiting thread has left.
  private synchronized boolean over() {
    if (state == State.FENCING) {
      state = State.OVER;
    }
    return state == State.GIVEN_UP;
  }

  private void look() {
    boolean without = othersLetIn.getAsBoolean();
    TimedCall<ReplicaSession> waitedFor;
    synchronized (this) {
      waitedFor = call;
      if (state != State.FENCING || waitedFor == null) {
        return;
      }
      if (without) {
        state = State.GIVEN_UP;
        around.hung().add(location);
      }
    }
    if (without) {
      waitedFor.abandon(late());
    } else {
      Duration soon = around.timeout().dividedBy(LOOKS);
      around.clock().later(soon, this::look);
    }
  }

  private StorageException late() {
    return new StorageException(
        ErrorCode.TIMEOUT,
        "replica "
            + location.replica()
            + " was not opened within "
            + around.timeout().multipliedBy(TIMEOUTS).toMillis()
            + " ms: look at its disk at "
            + location.diskPath());
  }
}
