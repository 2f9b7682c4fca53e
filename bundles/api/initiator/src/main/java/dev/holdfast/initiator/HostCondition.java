package dev.holdfast.initiator;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.osgi.annotation.versioning.ConsumerType;

/** A condition of the host. It is polled, because the kernel does not report changes. */
@ConsumerType
@FunctionalInterface
public interface HostCondition {
  /**
   * Looks whether it holds now.
   *
   * @throws StorageException what looking throws
   */
  boolean holds() throws StorageException;

  /**
   * Looks until something holds.
   *
   * @param patience after which it gives up, not null
   * @param condition what is looked at, not null
   * @return false when it did not hold in time
   * @throws StorageException TIMEOUT when interrupted; what looking throws
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
