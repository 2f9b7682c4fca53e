package dev.holdfast.engine.sparse.internal.replica;

import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/** Waits that an interrupt does not end: the thread finds it again when they are over. */
public final class Uninterruptibly {
  private Uninterruptibly() {}

  /** A wait that an interrupt ends. */
  private interface Wait {
    void run() throws InterruptedException;
  }

  /**
   * Waits as long as a condition holds.
   *
   * @param monitor the caller holds it, and each change of the condition notifies it
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

  // Begun again as often as it is interrupted.
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
