package dev.holdfast.engine.sparse.simulation;

/** A lock for readers or one writer, of simulated threads. */
public final class VirtualStampedLock {
  private int readers;
  private boolean writer;

  /** Waits until no thread writes. */
  public long readLock() {
    Scheduler.enter(this);
    try {
      while (writer) {
        Scheduler.await(this);
      }
      readers++;
    } finally {
      Scheduler.exit(this);
    }
    return 1;
  }

  /** Reads if no thread writes; returns 0 if one does. */
  public long tryReadLock() {
    if (writer) {
      return 0;
    }
    readers++;
    return 1;
  }

  /** Waits until no thread reads or writes. */
  public long writeLock() {
    Scheduler.enter(this);
    try {
      while (writer || readers > 0) {
        Scheduler.await(this);
      }
      writer = true;
    } finally {
      Scheduler.exit(this);
    }
    return 2;
  }

  /** Releases the lock of one reader. Returns whether a reader held it. */
  public boolean tryUnlockRead() {
    boolean held = readers > 0;
    if (held) {
      readers--;
      Scheduler.wakeAll(this);
    }
    return held;
  }

  /** Releases the lock of the writer. Returns whether it was locked. */
  public boolean tryUnlockWrite() {
    boolean held = writer;
    writer = false;
    Scheduler.wakeAll(this);
    return held;
  }

  /** Releases the lock of one reader. */
  public void unlockRead(long stamp) {
    var unused = tryUnlockRead();
  }

  /** Releases the lock of the writer. */
  public void unlockWrite(long stamp) {
    var unused = tryUnlockWrite();
  }

  /** Releases the lock. */
  public void unlock(long stamp) {
    if (stamp == 1) {
      unlockRead(stamp);
    } else {
      unlockWrite(stamp);
    }
  }
}
