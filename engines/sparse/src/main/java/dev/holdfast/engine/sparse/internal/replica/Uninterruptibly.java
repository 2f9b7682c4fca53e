package dev.holdfast.engine.sparse.internal.replica;

import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/** Waits that continue after an interrupt. The thread's interrupt flag is restored at the end. */
public final class Uninterruptibly {
  private Uninterruptibly() {}

  /** A wait that an interrupt can end. */
  private interface Wait {
    void run() throws InterruptedException;
  }

  /**
   * Waits as long as a condition holds.
   *
   * @param monitor monitor that the caller holds and that each change of the condition notifies
   */
  public static void awaitWhile(Object monitor, BooleanSupplier condition) {
    finish(
        () -> {
          while (condition.getAsBoolean()) {
            monitor.wait();
          }
        });
  }

  /** Waits until a latch is at zero. */
  public static void await(CountDownLatch latch) {
    finish(latch::await);
  }

  // Repeats the wait after each interrupt.
  private static void finish(Wait wait) {
    boolean interrupted = false;
    boolean over = false;
    while (!over) {
      try {
        wait.run();
        over = true;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
