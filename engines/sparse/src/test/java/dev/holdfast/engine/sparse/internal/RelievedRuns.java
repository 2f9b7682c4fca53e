package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.IoThread;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/** Runs of a connection, each with one task. When the thread hangs, another thread follows it. */
class RelievedRuns {
  private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final CountDownLatch relieved = new CountDownLatch(1);

  RelievedRuns() {
    new IoThread(this::loop, "runs").start();
  }

  /** Runs a task in a separate run, after the earlier runs. */
  void run(Runnable task) {
    tasks.add(task);
  }

  /** Waits until all earlier runs have ended. */
  void awaitIdle() throws InterruptedException {
    CountDownLatch last = new CountDownLatch(1);
    run(last::countDown);
    last.await();
  }

  /** Waits until a thread hangs and another thread follows it. */
  void awaitRelief() throws InterruptedException {
    relieved.await();
  }

  private void loop() {
    IoThread self = (IoThread) Thread.currentThread();
    try {
      boolean mine = true;
      while (mine) {
        Runnable task = tasks.take();
        self.beginRun();
        task.run();
        mine = self.endRun(this::relieve);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void relieve(IoThread.Remainder remainder) {
    IoThread next = new IoThread(() -> follow(remainder), "next-runs");
    next.start();
  }

  private void follow(IoThread.Remainder remainder) {
    relieved.countDown();
    if (continues(remainder)) {
      loop();
    }
  }

  /** Continues the run of the hanging thread. Returns false if this thread is replaced too. */
  boolean continues(IoThread.Remainder remainder) {
    return ((IoThread) Thread.currentThread()).continueRun(remainder, this::relieve);
  }
}
