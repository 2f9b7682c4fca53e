package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which replicas are members while the volume is open. After a member failed, no success
 * leaves the gate until the member is dropped. The survivors make the new epoch durable, and the
 * regions that the dropped member misses. The register decides or, when it is unreachable, the
 * survivors if they are a majority. Then the held replies are sent. Until a decision is possible,
 * all replies wait.
 */
public final class MembershipManager {
  private static final Logger LOG = LoggerFactory.getLogger(MembershipManager.class);

  private final String volume;
  private final EngineListener listener;
  private final RequestGate gate;
  private final Executor executor;
  private final MemberClock clock;
  private final Duration registerRetry;
  private final PendingRemovals departures;
  private final EpochDecision epochs;
  private final RegisterCatchUp catchUp;

  // Held by each caller that requires that no request is in flight. Taken before the lock of the
  // departures.
  private final Object stillness = new Object();

  private volatile boolean faulted;
  private volatile boolean hurried;
  private volatile Runnable whenFailed = () -> {};
  private volatile Consumer<StorageException> whenTargetFailed = cause -> {};

  public MembershipManager(
      String volume,
      RegisterRecord record,
      EngineListener listener,
      RequestGate gate,
      WriteIntents intents,
      ReplicaModes modes,
      Executor executor,
      MemberClock clock,
      Duration registerRetry) {
    this.volume = volume;
    this.listener = listener;
    this.gate = gate;
    this.executor = executor;
    this.clock = clock;
    this.registerRetry = registerRetry;
    this.departures = new PendingRemovals(gate, modes);
    this.epochs = new EpochDecision(departures, record, intents, new Broadcast(executor));
    this.catchUp = new RegisterCatchUp(record, gate, clock, registerRetry, this::fail);
  }

  /** Sets the members. Called once, before the first request. */
  public void keep(ReplicaFanout kept) {
    departures.of(kept);
  }

  /**
   * Sets the action that ends requests in flight when the volume fails. Called once, before the
   * first request.
   */
  public void whenFailed(Runnable action) {
    whenFailed = action;
  }

  /** Sets the receiver of a failure of a rebuild's target. Called while no request is in flight. */
  public void whenTargetFailed(Consumer<StorageException> action) {
    whenTargetFailed = action;
  }

  /**
   * Returns whether the replica is the target of a rebuild, whose failure does not affect clients.
   */
  public boolean isTarget(Member replica) {
    return departures.isTarget(replica);
  }

  /** Returns the members with data that did not fail. */
  public List<Member> working() {
    return departures.working();
  }

  /**
   * Drops the target of a rebuild that failed; returns false for another replica. The target can no
   * longer become a member.
   */
  boolean dropTarget(Member replica, StorageException cause) {
    boolean target = isTarget(replica);
    if (target) {
      whenTargetFailed.accept(cause);
    }
    return target;
  }

  /**
   * Handles the failure of a member. From this point no success is reported until the member is
   * dropped. The caller calls {@link #settle} when its own work is done. If the member admitted a
   * later engine, the volume ends.
   */
  public void drop(Member replica, StorageException cause) {
    if (dropTarget(replica, cause)) {
      return;
    }
    if (cause.code() == ErrorCode.CONFLICT || cause.code() == ErrorCode.FORBIDDEN) {
      fail(
          new StorageException(
              ErrorCode.FORBIDDEN,
              "volume " + volume + " was taken over by another engine: " + cause.getMessage(),
              cause));
      return;
    }
    departures.failed(replica, cause);
  }

  /**
   * Starts the decision that a failure requires. Must not be called between a request's enter and
   * leave.
   */
  public void settle() {
    if (departures.beginDeciding()) {
      executor.execute(this::decide);
    }
  }

  /** Waits until a running decision has given up. Called after the gate was closed. */
  void stop() {
    departures.awaitUndeciding();
  }

  /** Waits until no failed replica is a member, or the volume is closed. */
  public void awaitSettled() {
    departures.awaitNoneFailed();
  }

  /** Waits for a duration, or until the volume is closed. */
  public void pause(Duration duration) throws StorageException {
    try {
      departures.pause(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.IO, "volume " + volume + ": interrupted", e);
    }
  }

  /** Announces the close of the volume: a request that no replica answers is not retried. */
  public void hurry() {
    hurried = true;
  }

  /**
   * Waits for a duration. Returns whether the volume is still open and its close was not announced.
   */
  boolean stillOpenAfter(Duration duration) {
    if (hurried) {
      return false;
    }
    try {
      pause(duration);
    } catch (StorageException e) {
      return false;
    }
    return !hurried && !gate.closed();
  }

  /** Action that requires that no request is in flight. */
  @FunctionalInterface
  public interface Still {
    void run() throws StorageException;
  }

  /**
   * Runs an action while no request is in flight, unless the volume is closed or a failed member
   * waits to be dropped.
   *
   * @return whether the action ran
   */
  public boolean still(Still action) throws StorageException {
    boolean done = false;
    try {
      synchronized (stillness) {
        if (gate.pause(false)) {
          try {
            gate.awaitDrained();
            done = departures.noneFailed();
            if (done) {
              action.run();
            }
          } finally {
            departures.resume();
          }
        }
      }
    } finally {
      settle();
    }
    return done;
  }

  /**
   * Records that only the failed members, or only the other members, performed a structural
   * operation. They may differ in regions without a mark, so the next epoch records that the failed
   * ones miss everything. Called from within {@link #still}.
   */
  public void failedDifferAnywhere() {
    departures.failedDifferAnywhere();
  }

  /** Replaces the team. Called from within {@link #still}. */
  public void replace(MemberSet team) {
    departures.replace(team);
  }

  /**
   * Makes a replica with the same content as the members a member. Its epoch is decided before any
   * reply to a change that this replica does not hold. Returns false when the replica was dropped
   * again or the volume was closed. Called from within {@link #still}.
   */
  public boolean admit(Member newcomer) throws StorageException {
    departures.add(newcomer);
    while (!decided("added: " + newcomer.name())) {
      if (gate.closed()) {
        return false;
      }
      pause(registerRetry);
    }
    return departures.isMember(newcomer);
  }

  /**
   * Removes a healthy member. Tries once. If the outcome is unknown, the replica stays a member:
   * whichever epoch a start finds, its members hold all data. Called from within {@link #still}.
   *
   * @throws StorageException CONFLICT when no other replica would remain, BUSY while one is
   *     rebuilt, UNREACHABLE when no decision was possible
   */
  public void remove(Member member) throws StorageException {
    new MemberRemoval(volume, member, departures, this).run();
  }

  /**
   * Tries once to drop failed members, with the gate closed and no request in flight.
   *
   * @return whether no failed replica is a member
   */
  public boolean settledAtClose() throws StorageException {
    synchronized (stillness) {
      return departures.noneFailed() || (dropped() && departures.noneFailed());
    }
  }

  /** Returns whether no decision is pending. */
  public boolean settled() {
    return departures.settled() && !faulted;
  }

  /** Returns the highest number of an epoch that was sent to any member. */
  public long latestNumber() {
    return epochs.latestNumber();
  }

  /**
   * Continues after another engine of the same generation. Called once, before the first request.
   */
  public void resume(long latestNumber) {
    epochs.resume(latestNumber);
    catchUp.begin();
  }

  private void decide() {
    boolean again = false;
    try {
      synchronized (stillness) {
        again = !departures.noneFailed() && !droppedOnceDrained();
      }
    } catch (StorageException e) {
      fail(e);
    } finally {
      departures.endDeciding();
    }
    if (again) {
      clock.later(registerRetry, this::settle);
    } else {
      settle();
    }
  }

  // {@code awaitDrained()} signals only on a closed gate.
  private boolean droppedOnceDrained() throws StorageException {
    gate.awaitDrained();
    return gate.closed() || dropped();
  }

  /** Ends a volume that cannot continue. */
  public void fail(StorageException cause) {
    synchronized (this) {
      if (faulted) {
        return;
      }
      faulted = true;
    }
    // A request in flight may not have reached the failed member: it must not succeed.
    gate.pause(true);
    gate.close(cause.code(), cause.getMessage());
    departures.closed();
    try {
      executor.execute(whenFailed);
    } catch (RejectedExecutionException e) {
      // The engine has stopped: it closed the volume and its members.
    }
    listener.failed(cause);
  }

  /** Returns whether the volume was ended by a failure or by a later engine. */
  public boolean faulted() {
    return faulted;
  }

  /** Tries once to drop failed members. Returns false when no decision was possible. */
  boolean dropped() throws StorageException {
    return decided(departures.reason());
  }

  /** As {@link #dropped}, with another reason. */
  boolean decided(String reason) throws StorageException {
    List<Member> survivors = departures.survivors();
    if (survivors.stream().allMatch(Member::witness)) {
      throw new StorageException(
          ErrorCode.IO, "volume " + volume + ": its last replica failed and cannot be dropped");
    }
    EpochDecision.Outcome outcome = epochs.attempt(survivors, reason);
    if (!outcome.failures().isEmpty()) {
      return survivorsFailed(survivors, outcome.failures()) && dropped();
    }
    if (!outcome.decided()) {
      LOG.warn("volume {}: requests wait until a failed replica can be dropped", volume);
      return false;
    }
    tell(departures.decided(survivors));
    catchUp.begin();
    return true;
  }

  // Returns whether to try immediately without the survivors that failed.
  private boolean survivorsFailed(List<Member> survivors, List<MemberFailure> failures) {
    boolean waited = FailureRule.lastOnesPassing(survivors, failures);
    for (MemberFailure failure : failures) {
      if (!waited || !failure.passing()) {
        drop(failure.member(), failure.cause());
      }
    }
    if (waited) {
      LOG.warn(
          "volume {}: requests wait for its last replicas: {}",
          volume,
          FailureRule.reported(failures).getMessage());
    }
    return !waited && !faulted;
  }

  private void tell(List<PendingRemovals.Left> left) {
    for (PendingRemovals.Left gone : left) {
      String name = gone.member().name();
      String reason = gone.cause().map(StorageException::getMessage).orElse("was removed");
      if (gone.cause().isEmpty()) {
        LOG.info("volume {}: replica {} removed", volume, name);
      } else {
        LOG.warn("volume {}: replica {} dropped: {}", volume, name, reason);
      }
      listener.replicaChanged(name, MemberMode.ERR, reason);
    }
  }
}
