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
 * Decides which replicas are members while the volume is open. A member that failed is dropped.
 * From the failure on no answer leaves the gate. The survivors make the new epoch durable, and what
 * the dropped one misses. The register decides or, when it is out of reach, the survivors if they
 * are a majority. Then the answers go out. Until a decision is possible everything waits.
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

  // Held by each caller that relies on no request being in flight; before the departures' lock.
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

  /** Sets the members; once, before the first request. */
  public void keep(ReplicaFanout kept) {
    departures.of(kept);
  }

  /**
   * Sets the action that ends requests in flight when the volume fails; once, before the first
   * request.
   */
  public void whenFailed(Runnable action) {
    whenFailed = action;
  }

  /** Sets the receiver of a failure of a rebuild's target; while no request is in flight. */
  public void whenTargetFailed(Consumer<StorageException> action) {
    whenTargetFailed = action;
  }

  /** Returns whether this is the target of a rebuild, whose failure affects no client. */
  public boolean isTarget(Member replica) {
    return departures.isTarget(replica);
  }

  /** Returns the members with data of which none waits to be dropped. */
  public List<Member> working() {
    return departures.working();
  }

  /** The target of a rebuild failed, if this is one; it is out before it could be a member. */
  boolean dropTarget(Member replica, StorageException cause) {
    boolean target = isTarget(replica);
    if (target) {
      whenTargetFailed.accept(cause);
    }
    return target;
  }

  /**
   * A member failed. From this point no success is reported before it is dropped. The caller calls
   * {@link #settle} when its own work is done. A member that admitted a later engine ends the
   * volume.
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
   * Starts what a failure made necessary; must not be called between a request's enter and leave.
   */
  public void settle() {
    if (departures.beginDeciding()) {
      executor.execute(this::decide);
    }
  }

  /** Waits, once the gate is closed, until a decision that is being made has given up. */
  void stop() {
    departures.awaitUndeciding();
  }

  /** Waits until no failed member is left, or the volume is closed. */
  public void awaitSettled() {
    departures.awaitNoneFailed();
  }

  /** Waits for a while, but no longer than until the volume is closed. */
  public void pause(Duration duration) throws StorageException {
    try {
      departures.pause(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.IO, "volume " + volume + ": interrupted", e);
    }
  }

  /** The volume is to be closed: a request that no replica answers is not retried. */
  public void hurry() {
    hurried = true;
  }

  /** Waits for a while; returns whether the volume is still open and not to be closed. */
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

  /** Action while no request is in flight. */
  @FunctionalInterface
  public interface Still {
    void run() throws StorageException;
  }

  /**
   * Runs an action while no request is in flight, unless the volume is closed or a failed member
   * waits to be dropped.
   *
   * @return whether it was done
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
   * Notes that the members that failed made a structural operation which the others did not make,
   * or the reverse. They may differ in regions without a mark, so the next epoch notes that they
   * miss everything. From within {@link #still}.
   */
  public void failedDifferAnywhere() {
    departures.failedDifferAnywhere();
  }

  /** Replaces the team, from within {@link #still}. */
  public void replace(MemberSet team) {
    departures.replace(team);
  }

  /**
   * Makes a replica that holds the same as the members one of them, from within {@link #still}. Its
   * epoch is decided before the first answer that it did not agree to could go out. Returns whether
   * it is a member now; else it was dropped again, or the volume was closed.
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
   * Removes a healthy member, from within {@link #still}. Tries once. After an attempt in doubt the
   * replica stays a member: whichever epoch is found, its members hold everything.
   *
   * @throws StorageException CONFLICT when no other replica would remain, BUSY while one is
   *     rebuilt, UNREACHABLE when no decision was possible
   */
  public void remove(Member member) throws StorageException {
    new MemberRemoval(volume, member, departures, this).run();
  }

  /**
   * Drops what failed, with the gate closed and nothing at work. Makes one attempt.
   *
   * @return whether no failed member is left
   */
  public boolean settledAtClose() throws StorageException {
    synchronized (stillness) {
      return departures.noneFailed() || (dropped() && departures.noneFailed());
    }
  }

  /** Returns whether nothing is to be decided. */
  public boolean settled() {
    return departures.settled() && !faulted;
  }

  /** Returns the highest number of an epoch that was sent to any member. */
  public long latestNumber() {
    return epochs.latestNumber();
  }

  /** Continues after another engine of the same generation; once, before the first request. */
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

  /** Ends the volume, which cannot continue. */
  public void fail(StorageException cause) {
    synchronized (this) {
      if (faulted) {
        return;
      }
      faulted = true;
    }
    // A request in flight may lack the member because of which this happens: it has not succeeded.
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

  /** Tries once to drop failed members; returns false when no decision was possible. */
  boolean dropped() throws StorageException {
    return decided(departures.reason());
  }

  /** As {@link #dropped}, for another reason. */
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

  // Returns whether to try at once without them.
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
