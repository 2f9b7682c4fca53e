package dev.holdfast.block;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** Told once how a request ended. Must not block and must not throw. */
@ConsumerType
@FunctionalInterface
public interface Completion {
  /**
   * The request has ended.
   *
   * @param failure null when it succeeded, else why it failed
   */
  void completed(StorageException failure);
}
