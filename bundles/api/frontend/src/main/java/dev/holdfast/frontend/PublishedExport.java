package dev.holdfast.frontend;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import org.osgi.annotation.versioning.ProviderType;

/** An export that hosts can reach. */
@ProviderType
public interface PublishedExport extends AutoCloseable {

  /** Returns where initiators find it, with the advertised address, never null. */
  URI endpoint();

  /**
   * Returns how many connections use it now. A connection whose client vanished counts until the
   * socket reports it.
   */
  int connections();

  /**
   * Changes the access state of this export's path. Sessions refuse requests that they receive from
   * then on unless the state is {@link AccessState#OPTIMIZED}. Requests that they accepted before
   * may still reach the device: the owner of the device waits for these. Repeating a state changes
   * nothing.
   *
   * @param access not null
   * @throws StorageException UNSUPPORTED when the export was published without a path
   * @since 2.1
   */
  default void access(AccessState access) throws StorageException {
    throw new StorageException(
        ErrorCode.UNSUPPORTED, "export " + endpoint() + " was published without a path");
  }

  /**
   * Withdraws the export: new requests are refused, those in flight end, connections to it are
   * closed; after this method returned, no request of it reaches the device. Idempotent.
   *
   * <p>The exception is a session whose code does not return: it loses its client, and after some
   * seconds the portal stops waiting for it. The owner of the export must reject the requests that
   * this session still sends to the device, for example by a closed gate.
   */
  @Override
  void close();
}
