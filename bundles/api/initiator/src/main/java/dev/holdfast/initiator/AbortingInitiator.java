package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** An initiator that can fail the requests to a device whose volume does not answer. */
@ConsumerType
public interface AbortingInitiator extends Initiator {

  /**
   * Fails all waiting and later requests of a volume's device, so that processes do not wait for it
   * in the kernel. Unflushed data is lost. The connection is then unusable and remains until {@link
   * #disconnect}. Succeeds when the volume is not connected by this initiator. May be called while
   * another call for the volume waits for its device.
   *
   * @param volume name of the volume, not null
   * @throws StorageException IO
   */
  void abort(String volume) throws StorageException;
}
