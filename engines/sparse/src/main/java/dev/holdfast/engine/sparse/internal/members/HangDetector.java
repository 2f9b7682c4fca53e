package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.InFlightQueue;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Tracks calls in a replica whose disk may hang, with the limits of their duration. A call longer
 * than the time-out ends the member, if another member works; another thread then waits for the
 * hanging call. Thread-safe.
 */
final class HangDetector {
  private static final int TICKS = 8;
  private static final int POOLED = 64;

  // After this fraction of the time-out another thread continues the run of the waiting thread.
  private static final int SLOW = 16;

  // Number of time-outs to wait when a volume is closed.
  private static final int LAST_PATIENCE = 4;

  private final ReplicaLocation location;
  private final ReplicaSession session;
  private final TimedMember.Surroundings around;
  private volatile Duration patience;
  private volatile boolean hurried;
  private volatile BooleanSupplier othersWork = () -> false;
  private volatile Consumer<StorageException> endListener = cause -> {};
  private volatile Runnable idleListener = () -> {};

  private volatile StorageException ended;
  // Guarded by this.
  private final InFlightQueue<TimedRequest> requests;
  private final Set<TimedCall<?>> calls = new LinkedHashSet<>();
  private boolean ticking;
  private long hurriedAt;

  HangDetector(TimedMember member, ReplicaSession session, TimedMember.Surroundings around) {
    this.location = session.replica().location();
    this.session = session;
    this.around = around;
    this.patience = around.timeout();
    this.requests = new InFlightQueue<>(() -> new TimedRequest(member), POOLED);
  }

  /** As {@link TimedMember#serve}. */
  void serve(BooleanSupplier answer, Consumer<StorageException> whenEnded, Runnable whenIdle) {
    othersWork = answer;
    endListener = whenEnded;
    idleListener = whenIdle;
  }

  /** As {@link TimedMember#hurry}. */
  void hurry() {
    patience = around.timeout().multipliedBy(LAST_PATIENCE);
    othersWork = () -> true;
    synchronized (this) {
      if (!hurried) {
        hurried = true;
        hurriedAt = around.clock().nanoTime();
      }
    }
  }

  /** Removes the listeners. */
  void forgetListeners() {
    endListener = cause -> {};
    idleListener = () -> {};
  }

  /** Returns the cause of the end, null while the member is in use. */
  StorageException ended() {
    return ended;
  }

  synchronized boolean works() {
    return ended == null && !isLate(around.timeout().dividedBy(2));
  }

  synchronized TimedRequest take() {
    return requests.take();
  }

  /** Starts to track a request; returns false when the member has ended. */
  synchronized boolean begin(TimedRequest request, MemberCompletion done) {
    if (ended != null) {
      requests.release(request);
      return false;
    }
    request.begin(done, around.clock().nanoTime());
    requests.append(request);
    tickLater();
    return true;
  }

  /** Removes a request that was executed and returns it to the pool. */
  synchronized void left(TimedRequest request) {
    requests.remove(request);
  }

  /**
   * Has a chain of requests executed by another thread. If memory for a thread is missing, they
   * fail.
   */
  void carryOut(TimedRequest first) {
    try {
      execute(first);
    } catch (OutOfMemoryError e) {
      first.refuseAll(e);
    }
  }

  void execute(Runnable work) {
    try {
      around.executor().execute(work);
    } catch (RejectedExecutionException e) {
      // The engine has stopped; only the work of closing remains.
      work.run();
    }
  }

  /** Runs blocking work on another thread and waits for it up to the limit of the member. */
  <T> T call(TimedCall.Work<T> work, int timeouts) throws StorageException {
    TimedCall<T> call = new TimedCall<>(work, timeouts, around.clock().nanoTime());
    synchronized (this) {
      if (ended != null) {
        throw ended;
      }
      calls.add(call);
      tickLater();
    }
    try {
      execute(call);
      return call.await();
    } finally {
      synchronized (this) {
        calls.remove(call);
      }
    }
  }

  // The caller has the lock.
  private void tickLater() {
    if (!ticking) {
      ticking = true;
      around.clock().later(around.timeout().dividedBy(TICKS), this::tick);
    }
  }

  private void tick() {
    boolean late;
    List<TimedRequest> slow;
    synchronized (this) {
      ticking = false;
      if (ended != null || (requests.oldest() == null && calls.isEmpty())) {
        return;
      }
      late = isLate(patience);
      slow = slow();
      tickLater();
    }
    slow.forEach(TimedRequest::relieve);
    if (late && othersWork.getAsBoolean()) {
      end(
          new StorageException(
              ErrorCode.TIMEOUT,
              "replica "
                  + location.replica()
                  + ": its disk at "
                  + location.diskPath()
                  + " did not answer within "
                  + patience.toMillis()
                  + " ms"));
    }
  }

  // The caller has the lock.
  private List<TimedRequest> slow() {
    long begunBefore = around.clock().nanoTime() - around.timeout().toNanos() / SLOW;
    List<TimedRequest> slow = new ArrayList<>();
    TimedRequest request = requests.oldest();
    while (request != null && request.since() - begunBefore <= 0) {
      slow.add(request);
      request = request.later();
    }
    return slow;
  }

  // The caller has the lock.
  private boolean isLate(Duration most) {
    long now = around.clock().nanoTime();
    long nanos = most.toNanos();
    TimedRequest oldest = requests.oldest();
    return (oldest != null && now - oldest.since() > nanos)
        || calls.stream().anyMatch(call -> call.isLate(now, nanos))
        || (hurried
            && now - hurriedAt > nanos
            && calls.stream().anyMatch(call -> call.isBefore(hurriedAt)));
  }

  private void end(StorageException cause) {
    List<TimedRequest> unanswered = new ArrayList<>();
    List<TimedCall<?>> waiting;
    synchronized (this) {
      if (ended != null) {
        return;
      }
      ended = cause;
      for (TimedRequest request = requests.oldest(); request != null; request = request.later()) {
        unanswered.add(request);
      }
      waiting = List.copyOf(calls);
    }
    around.hung().add(location);
    // Dropped before its requests end, so that each request finds the decision in progress.
    endListener.accept(cause);
    unanswered.forEach(request -> request.abandon(cause));
    waiting.forEach(call -> call.abandon(cause));
    if (unanswered.isEmpty()) {
      idleListener.run();
    }
    execute(this::release);
  }

  /** As {@link TimedMember#endAfter}. */
  void endAfter(Runnable idle) {
    synchronized (this) {
      if (ended != null) {
        return;
      }
      ended =
          new StorageException(
              ErrorCode.TIMEOUT, "replica " + location.replica() + ": its disk hangs");
    }
    around.hung().add(location);
    execute(
        () -> {
          idle.run();
          release();
        });
  }

  // Waits for hanging calls. Afterwards later engines may be admitted.
  private void release() {
    session.close();
    around.hung().remove(location);
  }
}
