package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.Completion;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes all members durable, concurrently and off the caller's thread. Flushes that arrive while
 * one runs share the next one. A member whose sync failed is dropped and its sync never repeated,
 * because the kernel may have discarded data that it could not write.
 */
public final class Flusher {
  private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

  private final ReplicaFanout members;
  private final MembershipManager keeper;
  private final RequestGate gate;
  private final Executor executor;
  private final Broadcast fan;

  // Guarded by this.
  private List<Completion> waiting = new ArrayList<>();
  private boolean running;

  public Flusher(
      ReplicaFanout members, MembershipManager keeper, RequestGate gate, Executor executor) {
    this.members = members;
    this.keeper = keeper;
    this.gate = gate;
    this.executor = executor;
    this.fan = new Broadcast(executor);
  }

  /** Makes everything that completed before this call durable, then calls the completion. */
  void flush(Completion completion) {
    if (note(completion)) {
      start();
    }
  }

  /**
   * Records that a flush is wanted; from this point {@link #awaitIdle} waits for it.
   *
   * @return whether the caller must call {@link #start}
   */
  synchronized boolean note(Completion completion) {
    waiting.add(completion);
    boolean first = !running;
    running = true;
    return first;
  }

  void start() {
    executor.execute(this::rounds);
  }

  /** Waits until no flush runs. */
  synchronized void awaitIdle() {
    Uninterruptibly.awaitWhile(this, () -> running);
  }

  private void rounds() {
    while (true) {
      List<Completion> round;
      synchronized (this) {
        if (waiting.isEmpty()) {
          running = false;
          notifyAll();
          return;
        }
        round = waiting;
        waiting = new ArrayList<>();
      }
      StorageException failure = outcome();
      round.forEach(completion -> answer(completion, failure));
    }
  }

  private StorageException outcome() {
    try {
      return settled();
    } catch (RuntimeException | Error e) {
      return new StorageException(ErrorCode.INTERNAL, "a flush failed by a defect: " + e, e);
    }
  }

  private StorageException settled() {
    try {
      return syncAll();
    } finally {
      keeper.settle();
    }
  }

  // A completion that throws must not affect the other completions of its round.
  private void answer(Completion completion, StorageException failure) {
    try {
      gate.answer(completion, failure);
    } catch (RuntimeException | Error e) {
      LOG.error("the answer of a flush failed", e);
    }
  }

  private StorageException syncAll() {
    MemberSet team = members.team();
    List<Member> writers = List.of(team.writers());
    List<MemberFailure> failures = fan.each(writers, BlockingMemberIo::sync);
    failures.forEach(failure -> keeper.drop(failure.member(), failure.cause()));
    long current = failures.stream().filter(f -> team.data().contains(f.member())).count();
    return current == team.readers() ? FailureRule.reported(failures) : null;
  }
}
