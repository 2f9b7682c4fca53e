package dev.holdfast.backupstore;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;

/**
 * The time that a holder of a lock measures itself. The lease is measured by the target's clock.
 * Thread-safe; a test gives another one to play hours in a second.
 */
public interface LockTiming {
  /** Time of this process. */
  LockTiming SYSTEM =
      new LockTiming() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void pause(Duration time) throws StorageException {
          try {
            Thread.sleep(time.toMillis());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException(ErrorCode.TIMEOUT, "waiting for a lock was interrupted", e);
          }
        }
      };

  /** Returns a time of which only differences count. */
  long nanoTime();

  /**
   * Returns after the time that the protocol of locks demands.
   *
   * @param time how long to wait, not null
   * @throws StorageException TIMEOUT when the thread is interrupted
   */
  void pause(Duration time) throws StorageException;
}
