package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.internal.replica.ReplicaIdentity;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides who is current while the volume is open. A member that failed is dropped: from the
 * failure on no answer leaves the gate; the survivors make the new epoch and what the dropped one
 * misses durable; the register decides, or, when it is out of reach, the survivors if they are a
 * majority; then the answers go out. While nobody can decide everything waits.
 */
public final class Keeper {
  private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);

  private final String volume;
  private final RegisterRecord record;
  private final EngineListener listener;
  private final RequestGate gate;
  private final WriteIntents intents;
  private final ReplicaModes modes;
  private final Executor executor;
  private final MemberClock clock;
  private final Duration registerRetry;

  // Held by whoever relies on no request being at work; before this object's own lock.
  private final Object stillness = new Object();

  // Guarded by this.
  private final Map<Member, StorageException> failed = new LinkedHashMap<>();
  private Member leaving;
  private Epoch latest;
  private boolean running;
  private boolean copying;
  private boolean putBack;
  private Members members;
  private volatile boolean faulted;
  private volatile Runnable whenFailed = () -> {};
  private volatile Consumer<StorageException> whenTargetFailed = cause -> {};

  public Keeper(
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
    this.record = record;
    this.latest = record.inForce();
    this.listener = listener;
    this.gate = gate;
    this.intents = intents;
    this.modes = modes;
    this.executor = executor;
    this.clock = clock;
    this.registerRetry = registerRetry;
  }

  /** Tells whom to keep; once, before the first request. */
  public synchronized void keep(Members kept) {
    members = kept;
  }

  /** Tells what ends the requests under way when the volume fails; once, before the first. */
  public void whenFailed(Runnable action) {
    whenFailed = action;
  }

  /** Tells who is told that a rebuild's target failed; while no request is at work. */
  public void whenTargetFailed(Consumer<StorageException> action) {
    whenTargetFailed = action;
  }

  /** Returns whether this is the target of a rebuild, which nobody misses when it fails. */
  public boolean isTarget(Member replica) {
    return members.team().targets().contains(replica);
  }

  /** Returns the members with data of which none waits to be dropped. */
  public synchronized List<Member> working() {
    return members.team().data().stream().filter(member -> !failed.containsKey(member)).toList();
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
   * A member failed. From here on no success is told before it is dropped. The caller calls {@link
   * #settle} when its own work is done. One that has let in a later engine ends the volume.
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
    synchronized (this) {
      if (members.current().contains(replica) && failed.putIfAbsent(replica, cause) == null) {
        gate.pause(true);
      }
    }
  }

  /**
   * Starts what a failure made necessary; must not be called between a request's enter and leave.
   */
  public void settle() {
    synchronized (this) {
      if (failed.isEmpty() || running || gate.closed()) {
        return;
      }
      running = true;
    }
    executor.execute(this::decide);
  }

  /** Waits, once the gate is closed, until a decision that is being made has given up. */
  synchronized void stop() {
    notifyAll();
    boolean interrupted = false;
    while (running) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until no failed member is left, or the volume is closed. */
  public synchronized void awaitSettled() {
    boolean interrupted = false;
    while (!failed.isEmpty() && !gate.closed()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for a while, but no longer than until the volume is closed. */
  public synchronized void pause(Duration duration) throws StorageException {
    long end = System.nanoTime() + duration.toNanos();
    long left = duration.toMillis();
    try {
      while (!gate.closed() && left > 0) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.IO, "volume " + volume + ": interrupted", e);
    }
  }

  /** Waits for a while; returns whether the volume is still open. */
  boolean stillOpenAfter(Duration duration) {
    try {
      pause(duration);
    } catch (StorageException e) {
      return false;
    }
    return !gate.closed();
  }

  /** What is done while no request is at work. */
  @FunctionalInterface
  public interface Still {
    void run() throws StorageException;
  }

  /**
   * Does something while no request is at work, unless the volume is closed or a failed member
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
            done = nothingFailed();
            if (done) {
              action.run();
            }
          } finally {
            resume();
          }
        }
      }
    } finally {
      settle();
    }
    return done;
  }

  // A decision that waits for its turn does not need the gate paused yet, and may find nothing left.
  private synchronized void resume() {
    if (failed.isEmpty()) {
      gate.open();
    }
  }

  /**
   * The members were put back to a snapshot, but perhaps for those that failed: they have what the
   * others have thrown away, of which no mark tells. From within {@link #still}.
   */
  public synchronized void putBack() {
    putBack = !failed.isEmpty();
  }

  /** Replaces the team, from within {@link #still}. */
  public synchronized void replace(Team team) {
    members.replace(team);
  }

  /**
   * Makes a replica that holds the same as the members one of them, from within {@link #still}. Its
   * epoch is decided before the first answer that it did not agree to could go out. Returns whether
   * it is a member now; else it was dropped again, or the volume was closed.
   */
  public boolean admit(Member newcomer) throws StorageException {
    synchronized (this) {
      List<Member> all = new ArrayList<>(members.current());
      all.add(newcomer);
      members.replace(new Team(all, List.of()));
    }
    while (!decided("added: " + newcomer.name())) {
      if (gate.closed()) {
        return false;
      }
      pause(registerRetry);
    }
    return members.current().contains(newcomer);
  }

  /**
   * Makes a member none any more although it works, from within {@link #still}. Makes one attempt.
   * After one that is in doubt the member goes on as one: whichever epoch is found, its members
   * hold everything.
   *
   * @throws StorageException CONFLICT when no other replica would remain, BUSY while one is
   *     rebuilt, UNREACHABLE when nobody could decide
   */
  public void remove(Member member) throws StorageException {
    if (!members.team().targets().isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + volume + ": a replica is being rebuilt; try again later");
    }
    synchronized (this) {
      leaving = member;
    }
    boolean decided;
    try {
      decided = remains(member) && dropped();
    } catch (StorageException e) {
      fail(e);
      throw e;
    } finally {
      synchronized (this) {
        leaving = null;
      }
    }
    if (members.current().contains(member)) {
      if (decided || !remains(member)) {
        throw lastOne(member);
      }
      goOnWith(member);
      throw undecided(member);
    }
  }

  // The others have an epoch without it by now. Were their memory lost, a start that finds that
  // epoch would not ask the only one that still holds what was not flushed.
  private void goOnWith(Member member) throws StorageException {
    try {
      if (!decided("kept: " + member.name())) {
        LOG.warn("volume {}: that {} is kept is not recorded", volume, member.name());
      }
    } catch (StorageException e) {
      fail(e);
      throw e;
    }
  }

  // Whether somebody else with data is there who does not fail.
  private synchronized boolean remains(Member but) {
    return members.team().data().stream()
        .anyMatch(other -> other != but && !failed.containsKey(other));
  }

  private StorageException lastOne(Member member) {
    return new StorageException(
        ErrorCode.CONFLICT,
        "volume " + volume + ": replica " + member.name() + " is the only one that is current");
  }

  private StorageException undecided(Member member) {
    return new StorageException(
        ErrorCode.UNREACHABLE,
        "volume "
            + volume
            + ": replica "
            + member.name()
            + " stays for now: its removal could not be recorded");
  }

  /**
   * Drops what failed, with the gate closed and nothing at work. Makes one attempt.
   *
   * @return whether no failed member is left
   */
  public boolean settledAtClose() throws StorageException {
    synchronized (stillness) {
      return nothingFailed() || (dropped() && nothingFailed());
    }
  }

  /** Returns whether nothing is to be decided. */
  public synchronized boolean settled() {
    return failed.isEmpty() && !running && !faulted;
  }

  /** Returns the highest number of an epoch that was told to any member. */
  public synchronized long latestNumber() {
    return latest.number();
  }

  /** Goes on where another engine of the same generation ended; once, before the first request. */
  public void goOn(long latestNumber) {
    synchronized (this) {
      latest = new Epoch(latest.generation(), latestNumber, latest.members());
    }
    if (record.behind()) {
      copyLater();
    }
  }

  private synchronized boolean nothingFailed() {
    return failed.isEmpty();
  }

  private void decide() {
    boolean again = false;
    try {
      synchronized (stillness) {
        again = !nothingFailed() && !droppedOnceDrained();
      }
    } catch (StorageException e) {
      fail(e);
    } finally {
      synchronized (this) {
        running = false;
        notifyAll();
      }
    }
    if (again) {
      clock.later(registerRetry, this::settle);
    } else {
      settle();
    }
  }

  // Of a gate that is open nobody would say that the last request has left.
  private boolean droppedOnceDrained() throws StorageException {
    gate.awaitDrained();
    return gate.closed() || dropped();
  }

  /** The volume can go on no longer. */
  public void fail(StorageException cause) {
    synchronized (this) {
      if (faulted) {
        return;
      }
      faulted = true;
    }
    // A request under way may lack the member because of which this happens: it is no success.
    gate.pause(true);
    gate.close(cause.code(), cause.getMessage());
    synchronized (this) {
      notifyAll();
    }
    executor.execute(whenFailed);
    listener.failed(cause);
  }

  /** Returns whether the volume was ended by a failure or by a later engine. */
  public boolean faulted() {
    return faulted;
  }

  /** Makes one attempt; returns false when nobody could decide. */
  private boolean dropped() throws StorageException {
    return decided(reason());
  }

  private boolean decided(String reason) throws StorageException {
    List<Member> survivors = survivors();
    if (survivors.stream().allMatch(Member::witness)) {
      throw new StorageException(
          ErrorCode.IO, "volume " + volume + ": its last replica failed and cannot be dropped");
    }
    Epoch next = nextEpoch(survivors);
    SortedSet<String> absent = new TreeSet<>(record.known());
    absent.removeAll(next.members());
    absent.removeIf(ReplicaIdentity::ofWitness);
    absent.removeAll(givenUp());
    BitSet missed = intents.all();
    addIfPutBack(missed);
    List<MemberFailure> failures =
        new Fan(executor)
            .each(
                survivors,
                survivor -> {
                  if (!survivor.witness()) {
                    Awaited.sync(survivor);
                  }
                  survivor.recordEpoch(next, absent, missed);
                });
    if (!failures.isEmpty()) {
      return survivorsFailed(survivors, failures) && dropped();
    }
    if (!record.decide(next, reason)) {
      LOG.warn("volume {}: requests wait until a failed replica can be dropped", volume);
      return false;
    }
    adopt(survivors);
    return true;
  }

  // Returns whether to try at once without them. If nobody with data would be left, one that is
  // only out of reach or full is waited for: it may come back, or be given room.
  private boolean survivorsFailed(List<Member> survivors, List<MemberFailure> failures) {
    List<Member> left = new ArrayList<>(survivors);
    failures.forEach(failure -> left.remove(failure.member()));
    boolean waited =
        left.stream().allMatch(Member::witness)
            && failures.stream().anyMatch(one -> !one.member().witness() && one.passing());
    for (MemberFailure failure : failures) {
      if (!waited || !failure.passing()) {
        drop(failure.member(), failure.cause());
      }
    }
    if (waited) {
      LOG.warn(
          "volume {}: requests wait for its last replicas: {}",
          volume,
          FailureRule.told(failures).getMessage());
    }
    return !waited && !faulted;
  }

  private synchronized void addIfPutBack(BitSet missed) {
    if (putBack) {
      missed.or(Regions.all(record.stored().sizeBytes()));
    }
  }

  private synchronized List<Member> survivors() {
    List<Member> survivors = new ArrayList<>(members.current());
    survivors.removeAll(failed.keySet());
    if (leaving != null && remains(leaving)) {
      survivors.remove(leaving);
    } else {
      leaving = null;
    }
    return survivors;
  }

  // Nobody needs to know what a replica misses that is not to come back.
  private synchronized List<String> givenUp() {
    return leaving == null ? List.of() : List.of(leaving.id());
  }

  private synchronized String reason() {
    List<String> names = failed.keySet().stream().map(Member::name).toList();
    String dropped = names.isEmpty() ? "" : "dropped: " + String.join(", ", names);
    String removed = leaving == null ? "" : "removed: " + leaving.name();
    return dropped + (dropped.isEmpty() || removed.isEmpty() ? "" : "; ") + removed;
  }

  // Numbers are never used twice: the outcome of an earlier attempt may be in doubt.
  private synchronized Epoch nextEpoch(List<Member> survivors) {
    latest = Epoch.of(record.generation(), latest.number() + 1, survivors);
    return latest;
  }

  private void adopt(List<Member> survivors) {
    Map<Member, StorageException> gone;
    List<Member> left;
    synchronized (this) {
      gone = new LinkedHashMap<>(failed);
      gone.keySet().retainAll(members.current());
      gone.keySet().removeAll(survivors);
      left = new ArrayList<>(members.current());
      left.removeAll(survivors);
      members.replace(new Team(survivors, members.team().targets()));
      failed.keySet().retainAll(survivors);
      putBack = false;
      left.forEach(replica -> modes.set(replica.name(), ReplicaMode.ERR));
      notifyAll();
      if (failed.isEmpty()) {
        gate.open();
      }
    }
    for (Member replica : left) {
      StorageException cause = gone.get(replica);
      String reason = cause == null ? "was removed" : cause.getMessage();
      if (cause == null) {
        LOG.info("volume {}: replica {} removed", volume, replica.name());
      } else {
        LOG.warn("volume {}: replica {} dropped: {}", volume, replica.name(), reason);
      }
      listener.replicaChanged(replica.name(), ReplicaMode.ERR, reason);
    }
    if (record.behind()) {
      copyLater();
    }
  }

  private void copyLater() {
    synchronized (this) {
      if (copying) {
        return;
      }
      copying = true;
    }
    clock.later(registerRetry, this::copy);
  }

  // What the members decided alone is told to the register when it can be reached again.
  private void copy() {
    synchronized (this) {
      copying = false;
      if (gate.closed()) {
        return;
      }
    }
    try {
      if (!record.behind() || record.change(unchanged -> unchanged)) {
        return;
      }
    } catch (StorageException e) {
      fail(e);
      return;
    }
    copyLater();
  }
}
