package dev.holdfast.initiator;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.osgi.annotation.versioning.ConsumerType;

/** Something of the host that can be looked at: the kernel tells nobody when it changes. */
@ConsumerType
@FunctionalInterface
public interface Observation {
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
   * @param observation what is looked at, not null
   * @return false when it did not hold in time
   * @throws StorageException TIMEOUT when interrupted; what looking throws
   */
  static boolean holds(Duration patience, Observation observation) throws StorageException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!observation.holds()) {
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
