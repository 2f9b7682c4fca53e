package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks regions on all members before the first write into them, off the callers' threads. One
 * round marks the regions of all waiting requests. One thread makes the rounds, one after the
 * other, and holds no lock during a round.
 */
final class IntentMarker {
  /** A request that waits for its marks. */
  interface Waiting {
    /** Adds the regions that the request will change. */
    void addRegions(BitSet regions);

    /**
     * Called once: with null when the marks are durable, else with the cause for which the request
     * fails.
     */
    void marked(StorageException failure);
  }

  private static final Logger LOG = LoggerFactory.getLogger(IntentMarker.class);

  private final WriteIntents intents;
  private final FailureRule failureRule;
  private final Broadcast fan;
  private final Executor executor;
  private final Supplier<MemberSet> team;

  // Guarded by this.
  private List<Waiting> waiting = new ArrayList<>();
  private List<CountDownLatch> storing = new ArrayList<>();
  private boolean running;

  IntentMarker(
      WriteIntents intents, FailureRule failureRule, Executor executor, Supplier<MemberSet> team) {
    this.intents = intents;
    this.failureRule = failureRule;
    this.fan = new Broadcast(executor);
    this.executor = executor;
    this.team = team;
  }

  /** Marks the regions that the request will change, then continues the request. */
  void mark(Waiting request) {
    synchronized (this) {
      waiting.add(request);
      if (running) {
        return;
      }
      running = true;
    }
    executor.execute(this::rounds);
  }

  private void rounds() {
    while (true) {
      List<Waiting> served;
      List<CountDownLatch> stored;
      synchronized (this) {
        if (waiting.isEmpty() && storing.isEmpty()) {
          running = false;
          return;
        }
        served = waiting;
        stored = storing;
        waiting = new ArrayList<>();
        storing = new ArrayList<>();
      }
      if (!served.isEmpty()) {
        StorageException failure = outcome(served);
        served.forEach(request -> tell(request, failure));
      }
      if (!stored.isEmpty()) {
        try {
          storeNow();
        } finally {
          stored.forEach(CountDownLatch::countDown);
        }
      }
    }
  }

  private StorageException outcome(List<Waiting> served) {
    try {
      return markAll(served);
    } catch (RuntimeException | Error e) {
      return new StorageException(
          ErrorCode.INTERNAL, "marking regions failed by a defect: " + e, e);
    }
  }

  // A request that throws must not affect the others of its round.
  private static void tell(Waiting request, StorageException failure) {
    try {
      request.marked(failure);
    } catch (RuntimeException | Error e) {
      LOG.error("a request failed after its marks", e);
    }
  }

  private StorageException markAll(List<Waiting> served) {
    BitSet regions = new BitSet();
    served.forEach(request -> request.addRegions(regions));
    regions.andNot(intents.all());
    if (regions.isEmpty()) {
      return null;
    }
    // The team cannot change: requests that wait here are inside the gate.
    List<Member> members = List.of(team.get().writers());
    List<MemberFailure> failures = fan.each(members, member -> member.mark(regions));
    while (failureRule.nobodyAnswered(members, failures)) {
      failures = fan.each(members, member -> member.mark(regions));
    }
    if (!failures.isEmpty()) {
      try {
        failureRule.markFailed(members, failures);
      } catch (StorageException e) {
        return e;
      }
    }
    intents.marked(regions);
    return null;
  }

  /**
   * Makes the members' durable marks equal to those in memory after marks were cleared. Returns
   * after that, between two rounds.
   */
  void storeMarks() {
    CountDownLatch stored = new CountDownLatch(1);
    boolean idle;
    synchronized (this) {
      storing.add(stored);
      idle = !running;
      running = true;
    }
    if (idle) {
      rounds();
    }
    Uninterruptibly.await(stored);
  }

  private void storeNow() {
    BitSet marks = intents.all();
    List<MemberFailure> failures =
        fan.each(List.of(team.get().writers()), member -> member.replaceMarks(marks));
    if (!failures.isEmpty()) {
      failureRule.marksNotStored(failures);
    }
  }
}
