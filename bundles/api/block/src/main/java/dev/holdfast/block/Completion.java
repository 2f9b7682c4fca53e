package dev.holdfast.block;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** Receives the outcome of a request once. Must not block or throw. */
@ConsumerType
@FunctionalInterface
public interface Completion {
  /**
   * Reports the end of the request.
   *
   * @param failure null on success, otherwise the cause
   */
  void completed(StorageException failure);
}
