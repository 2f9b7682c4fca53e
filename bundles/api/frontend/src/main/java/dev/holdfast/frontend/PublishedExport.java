package dev.holdfast.frontend;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import org.osgi.annotation.versioning.ProviderType;

/** A published export. */
@ProviderType
public interface PublishedExport extends AutoCloseable {

  /** Returns the address for initiators, with the advertised host, never null. */
  URI endpoint();

  /**
   * Returns the number of present connections. A connection whose client vanished counts until the
   * socket reports it.
   */
  int connections();

  /**
   * Changes the access state of this export's path. From then on sessions reject new requests
   * unless the state is {@link AccessState#OPTIMIZED}. Requests that they accepted earlier may
   * still reach the device; the owner of the device must wait for them. Idempotent.
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
   * Withdraws the export: rejects new requests, waits for requests in flight, and closes the
   * connections. After this method returns, requests of the export no longer reach the device.
   * Idempotent.
   *
   * <p>An exception is a session whose code does not return. It loses its client, and the portal
   * stops waiting for it after some seconds. The owner of the export must reject the requests that
   * such a session still sends to the device, for example by a closed gate.
   */
  @Override
  void close();
}
