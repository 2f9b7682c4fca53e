package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.block.IoThread;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that may be held while a device works. A thread that has to wait for it first runs its own
 * deferred I/O, because the holder may wait for that I/O.
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
