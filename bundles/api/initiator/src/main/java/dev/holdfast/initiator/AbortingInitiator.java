package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** An initiator that can fail the requests to a device whose volume does not answer. */
@ConsumerType
public interface AbortingInitiator extends Initiator {

  /**
   * Fails all requests that wait for a volume's device, and all later ones, so that no process
   * waits for it in the kernel. Data that is not flushed is lost. The connection does not work
   * afterwards and is there until {@link #disconnect}. Succeeds when the volume is not connected by
   * this initiator. May be called while another call for the volume waits for its device.
   *
   * @param volume name of the volume, not null
   * @throws StorageException IO
   */
  void abort(String volume) throws StorageException;
}
