package dev.holdfast.backuptarget.cifs.internal;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;

/**
 * Locks by which readers and writers of one object take turns on one connection, because a server
 * refuses to replace a file that the same connection has open. They are fair, so that readers do
 * not keep a writer waiting. A thread takes one at a time, before it waits for a connection.
 */
final class KeyLocks {
  private static final int STRIPES = 64;

  private final ReadWriteLock[] locks =
      Stream.generate(() -> new ReentrantReadWriteLock(true))
          .limit(STRIPES)
          .toArray(ReadWriteLock[]::new);

  private ReadWriteLock of(String path) {
    return locks[Math.floorMod(path.hashCode(), STRIPES)];
  }

  /** Returns the lock of readers of a path, which the caller takes and releases. */
  Lock reading(String path) {
    return of(path).readLock();
  }

  /** Returns the lock of a writer of a path, which the caller takes and releases. */
  Lock replacing(String path) {
    return of(path).writeLock();
  }
}
