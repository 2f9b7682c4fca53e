package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import java.net.InetAddress;
import org.osgi.annotation.versioning.ProviderType;

/** Rule for the addresses to which image sources connect. Thread-safe. */
@ProviderType
@FunctionalInterface
public interface AddressRule {
  /**
   * Checks the address of a planned connection. A source checks the resolved address to which it
   * will connect, before each connection, because a name may later resolve to another address. If a
   * proxy makes the connection, the source checks all known addresses.
   *
   * @param address of the peer, not null
   * @throws StorageException FORBIDDEN when the source may not connect to it; the message names the
   *     address and the setting that permits it
   */
  void require(InetAddress address) throws StorageException;
}
