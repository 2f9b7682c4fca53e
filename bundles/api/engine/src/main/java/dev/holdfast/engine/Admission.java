package dev.holdfast.engine;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Permission for another node to forward requests to a volume that is open on this node.
 * Thread-safe.
 */
@ConsumerType
public interface Admission extends AutoCloseable {

  /**
   * Withdraws the permission. After the call, the other node receives only successful outcomes.
   * After this method returns, requests of the other node no longer reach the device. Idempotent.
   */
  @Override
  void close();
}
