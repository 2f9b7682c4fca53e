package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.block.IoThread;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that may be held while a device works. Who has to wait for it first does what its thread
 * has put off, for that may be what the holder waits for.
 */
final class DeferredIoLock {
  private final ReentrantLock lock = new ReentrantLock();

  void run(Runnable action) {
    if (!lock.tryLock()) {
      IoThread.settle();
      lock.lock();
    }
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }
}
