package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** One write that hangs in its disk until it is released, and takes effect only then. */
public final class HungWrite {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /** The write itself. */
  @FunctionalInterface
  interface Write {
    void run() throws IOException;
  }

  HungWrite() {}

  void hang(Write write) throws IOException {
    try {
      begun.countDown();
      released.await();
      write.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      ended.countDown();
    }
  }

  /** Waits until the write hangs. */
  public void awaitBegin() throws InterruptedException {
    begun.await();
  }

  /** Lets the write continue, whether it has begun or not. */
  public void release() {
    released.countDown();
  }

  /** Waits until the write has taken effect. */
  public void awaitEnd() throws InterruptedException {
    ended.await();
  }
}
