package dev.holdfast.store;

import org.osgi.annotation.versioning.ConsumerType;

/** A running watch. */
@ConsumerType
public interface Watch extends AutoCloseable {
  /** Ends the watch; idempotent. The listener is not called after this returns. */
  @Override
  void close();
}
