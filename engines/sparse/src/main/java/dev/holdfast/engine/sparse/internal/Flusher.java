package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Makes the members durable, all at once, off the caller's thread. Flushes that come while one runs
 * share the next. A member whose sync failed is dropped, and the sync never repeated: the kernel
 * may have forgotten what it could not write.
 */
final class Flusher {
  private final Members members;
  private final Keeper keeper;
  private final RequestGate gate;
  private final Executor executor;

  // Guarded by this.
  private List<Completion> waiting = new ArrayList<>();
  private boolean running;

  Flusher(Members members, Keeper keeper, RequestGate gate, Executor executor) {
    this.members = members;
    this.keeper = keeper;
    this.gate = gate;
    this.executor = executor;
  }

  /** Makes everything that completed before this call durable, then answers. */
  void flush(Completion completion) {
    if (note(completion)) {
      start();
    }
  }

  /**
   * Notes that a flush is wanted; from here on {@link #awaitIdle} waits for it.
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
      StorageException failure = syncAll();
      keeper.settle();
      round.forEach(completion -> gate.answer(completion, failure));
    }
  }

  private StorageException syncAll() {
    List<Member> now = members.current();
    AtomicReferenceArray<StorageException> failures = new AtomicReferenceArray<>(now.size());
    CountDownLatch others = new CountDownLatch(now.size() - 1);
    for (int i = 1; i < now.size(); i++) {
      int member = i;
      executor.execute(
          () -> {
            failures.set(member, sync(now.get(member)));
            others.countDown();
          });
    }
    failures.set(0, sync(now.get(0)));
    await(others);
    int failed = 0;
    for (int i = 0; i < now.size(); i++) {
      if (failures.get(i) != null) {
        failed++;
        keeper.drop(now.get(i), failures.get(i));
      }
    }
    return failed == now.size() ? failures.get(0) : null;
  }

  private static StorageException sync(Member replica) {
    try {
      Awaited.sync(replica);
      return null;
    } catch (StorageException e) {
      return e;
    }
  }

  private static void await(CountDownLatch latch) {
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
