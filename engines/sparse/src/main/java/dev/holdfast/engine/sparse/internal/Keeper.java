package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.ReplicaMode;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides who is current while the volume is open. A member that failed is dropped: from the
 * failure on no answer leaves the gate; the survivors make the new epoch and what the dropped one
 * misses durable; the register decides; then the answers go out. While the register cannot be
 * reached everything waits.
 */
final class Keeper {
  private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);

  private final String volume;
  private final MembershipRegister register;
  private final EngineListener listener;
  private final RequestGate gate;
  private final WriteIntents intents;
  private final Executor executor;
  private final ReplicaModes modes;
  private final Duration registerRetry;

  // Held by whoever relies on no request being at work; before this object's own lock.
  private final Object stillness = new Object();

  // Guarded by this.
  private final Map<Member, StorageException> failed = new LinkedHashMap<>();
  private Membership decided;
  private Epoch latest;
  private boolean running;
  private Members members;
  private volatile boolean faulted;

  Keeper(
      String volume,
      MembershipRegister register,
      Membership decided,
      EngineListener listener,
      RequestGate gate,
      WriteIntents intents,
      ReplicaModes modes,
      Executor executor,
      Duration registerRetry) {
    this.volume = volume;
    this.register = register;
    this.decided = decided;
    this.latest = Epoch.of(decided);
    this.listener = listener;
    this.gate = gate;
    this.intents = intents;
    this.modes = modes;
    this.executor = executor;
    this.registerRetry = registerRetry;
  }

  /** Tells whom to keep; once, before the first request. */
  synchronized void keep(Members kept) {
    members = kept;
  }

  /**
   * A member failed. From here on no success is told before it is dropped. The caller calls {@link
   * #settle} when its own work is done.
   */
  synchronized void drop(Member replica, StorageException cause) {
    if (members.current().contains(replica) && failed.putIfAbsent(replica, cause) == null) {
      gate.pause(true);
    }
  }

  /**
   * Starts what a failure made necessary; must not be called between a request's enter and leave.
   */
  void settle() {
    synchronized (this) {
      if (failed.isEmpty() || running || gate.closed()) {
        return;
      }
      running = true;
    }
    executor.execute(this::decide);
  }

  /** Wakes a waiting decision, because the gate was closed, and waits until it has given up. */
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

  /** Does something while no request is at work, unless the volume is closed. */
  void still(Runnable action) {
    synchronized (stillness) {
      if (gate.pause(false)) {
        gate.awaitDrained();
        action.run();
        resume();
      }
    }
    settle();
  }

  private synchronized void resume() {
    if (failed.isEmpty() && !running) {
      gate.open();
    }
  }

  /**
   * Drops what failed, with the gate closed and nothing at work. Makes one attempt.
   *
   * @return whether no failed member is left
   */
  boolean settledAtClose() throws StorageException {
    synchronized (stillness) {
      return nothingFailed() || (dropped() && nothingFailed());
    }
  }

  private synchronized boolean nothingFailed() {
    return failed.isEmpty();
  }

  private void decide() {
    try {
      synchronized (stillness) {
        gate.awaitDrained();
        while (!gate.closed() && !dropped()) {
          awaitRegister();
        }
      }
    } catch (StorageException e) {
      fail(e);
    } finally {
      synchronized (this) {
        running = false;
        notifyAll();
      }
      settle();
    }
  }

  /** The volume can go on no longer. */
  void fail(StorageException cause) {
    faulted = true;
    gate.close(cause.code(), cause.getMessage());
    listener.failed(cause);
  }

  /** Returns whether the volume was ended by a failure or by a later engine. */
  boolean faulted() {
    return faulted;
  }

  /** Makes one attempt; returns false when the register could not be asked. */
  private boolean dropped() throws StorageException {
    List<Member> survivors = survivors();
    if (survivors.isEmpty()) {
      throw new StorageException(
          ErrorCode.IO, "volume " + volume + ": its last replica failed and cannot be dropped");
    }
    Epoch next = nextEpoch(survivors);
    SortedSet<String> absent = new TreeSet<>(decided.members());
    absent.removeAll(next.members());
    BitSet marks = intents.all();
    for (Member survivor : survivors) {
      try {
        Awaited.sync(survivor);
        survivor.recordEpoch(next, absent, marks);
      } catch (StorageException e) {
        drop(survivor, e);
      }
    }
    if (!survivors.equals(survivors())) {
      return dropped();
    }
    Membership wanted = next.in(decided);
    if (!registered(wanted)) {
      return false;
    }
    adopt(wanted, survivors);
    return true;
  }

  private synchronized List<Member> survivors() {
    List<Member> survivors = new ArrayList<>(members.current());
    survivors.removeAll(failed.keySet());
    return survivors;
  }

  // Numbers are never used twice: the outcome of an earlier attempt may be in doubt.
  private synchronized Epoch nextEpoch(List<Member> survivors) {
    SortedSet<String> ids = new TreeSet<>();
    survivors.forEach(replica -> ids.add(replica.id()));
    latest = new Epoch(decided.generation(), latest.number() + 1, ids);
    return latest;
  }

  private boolean registered(Membership wanted) throws StorageException {
    try {
      if (register.compareAndSet(decided, wanted)) {
        return true;
      }
      Membership found = register.read();
      if (found.equals(wanted)) {
        return true;
      }
      if (found.generation() != decided.generation()) {
        throw superseded(found);
      }
      // An attempt in doubt took effect after all; go on from there.
      synchronized (this) {
        decided = found;
      }
      return false;
    } catch (StorageException e) {
      if (e.code() == ErrorCode.FORBIDDEN) {
        throw e;
      }
      LOG.warn(
          "volume {}: requests wait, because a replica failed and the register is out of reach: {}",
          volume,
          e.getMessage());
      return false;
    }
  }

  private StorageException superseded(Membership found) {
    return new StorageException(
        ErrorCode.FORBIDDEN,
        "volume " + volume + " was taken over by the engine on node " + found.owner());
  }

  private void adopt(Membership record, List<Member> survivors) {
    Map<Member, StorageException> gone;
    synchronized (this) {
      decided = record;
      gone = new LinkedHashMap<>(failed);
      gone.keySet().retainAll(members.current());
      gone.keySet().removeAll(survivors);
      members.replace(survivors);
      failed.keySet().retainAll(survivors);
      gone.keySet().forEach(replica -> modes.set(replica.name(), ReplicaMode.ERR));
      if (failed.isEmpty()) {
        gate.open();
      }
    }
    gone.forEach(
        (replica, cause) -> {
          LOG.warn("volume {}: replica {} dropped: {}", volume, replica.name(), cause.getMessage());
          listener.replicaChanged(replica.name(), ReplicaMode.ERR, cause.getMessage());
        });
  }

  private synchronized void awaitRegister() {
    long end = System.nanoTime() + registerRetry.toNanos();
    long left = registerRetry.toMillis();
    while (!gate.closed() && left > 0) {
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        fail(new StorageException(ErrorCode.IO, "volume " + volume + ": interrupted", e));
      }
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
  }
}
