package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Checks whether a running process works, for example by a call over its control socket. One thread
 * at a time calls the check for each process.
 */
@ConsumerType
@FunctionalInterface
public interface HealthCheck {
  /**
   * Returns normally if the process works.
   *
   * @throws StorageException with any code if it does not; the message appears in the status
   */
  void check() throws StorageException;
}
