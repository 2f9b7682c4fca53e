package dev.holdfast.initiator;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.osgi.annotation.versioning.ConsumerType;

/** A condition of the host, which is polled because the kernel does not report changes. */
@ConsumerType
@FunctionalInterface
public interface HostCondition {
  /**
   * Checks whether the condition holds now.
   *
   * @throws StorageException when the check fails
   */
  boolean holds() throws StorageException;

  /**
   * Polls a condition until it holds.
   *
   * @param patience time limit, not null
   * @param condition the condition, not null
   * @return false if the condition did not hold in time
   * @throws StorageException TIMEOUT when interrupted; exceptions of the check
   */
  static boolean holds(Duration patience, HostCondition condition) throws StorageException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StorageException(ErrorCode.TIMEOUT, "interrupted", e);
      }
    }
    return true;
  }
}
