package dev.holdfast.engine;

import org.osgi.annotation.versioning.ConsumerType;

/** Another node's leave to pass requests on to a volume of this one. Thread-safe. */
@ConsumerType
public interface Admission extends AutoCloseable {

  /**
   * Takes the leave back. The other node is told no outcome of what ends from here on but success.
   * When this returns no request of it is at the device any more, and none comes. Idempotent.
   */
  @Override
  void close();
}
