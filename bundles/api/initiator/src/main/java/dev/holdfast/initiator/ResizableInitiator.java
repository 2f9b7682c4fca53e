package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import java.net.URI;
import org.osgi.annotation.versioning.ConsumerType;

/** An initiator some of whose devices grow while they are used. */
@ConsumerType
public interface ResizableInitiator extends Initiator {

  /**
   * Returns the endpoint to connect to when the device shall be able to grow; one that this
   * initiator cannot make such a device of stays as it is.
   *
   * @param endpoint URI of the volume, not null
   * @param bytes what the volume has now
   * @return for {@link #connect}, never null
   */
  URI growable(URI endpoint, long bytes);

  /**
   * Makes a volume's device as large as the volume has become. Repeating it is harmless.
   *
   * @param volume name of the volume, which is connected, not null
   * @param bytes what the volume has now, not less than the device
   * @throws StorageException UNSUPPORTED when its device was not connected so that it grows; IO
   */
  void grow(String volume, long bytes) throws StorageException;
}
