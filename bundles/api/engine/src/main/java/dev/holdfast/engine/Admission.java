package dev.holdfast.engine;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Permission of another node to forward requests to a volume that this node has open. Thread-safe.
 */
@ConsumerType
public interface Admission extends AutoCloseable {

  /**
   * Withdraws the permission. Of requests that end after the call, the other node receives
   * successful outcomes only. After this method returned, no request of the other node reaches the
   * device. Idempotent.
   */
  @Override
  void close();
}
