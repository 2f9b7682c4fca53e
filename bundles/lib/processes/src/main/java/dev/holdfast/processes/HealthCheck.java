package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Checks whether a running process works, for example by a call over its control socket. Called by
 * one thread at a time for each process.
 */
@ConsumerType
@FunctionalInterface
public interface HealthCheck {
  /**
   * Returns when the process works.
   *
   * @throws StorageException with any code when it does not; the message appears in the status
   */
  void check() throws StorageException;
}
