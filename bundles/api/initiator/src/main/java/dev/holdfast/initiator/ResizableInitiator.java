package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import java.net.URI;
import org.osgi.annotation.versioning.ConsumerType;

/** An initiator with devices that can grow during use. */
@ConsumerType
public interface ResizableInitiator extends Initiator {

  /**
   * Returns the endpoint for a device that can grow. If the initiator cannot create such a device,
   * the endpoint is returned unchanged.
   *
   * @param endpoint URI of the volume, not null
   * @param bytes present size of the volume
   * @return endpoint for {@link #connect}, never null
   */
  URI growable(URI endpoint, long bytes);

  /**
   * Grows the device of an expanded volume. Idempotent.
   *
   * @param volume name of the connected volume, not null
   * @param bytes present size of the volume, at least the size of the device
   * @throws StorageException UNSUPPORTED when the device was not connected with a growable
   *     endpoint; IO
   */
  void grow(String volume, long bytes) throws StorageException;
}
