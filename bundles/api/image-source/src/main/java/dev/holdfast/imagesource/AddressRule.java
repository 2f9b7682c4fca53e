package dev.holdfast.imagesource;

import dev.holdfast.error.StorageException;
import java.net.InetAddress;
import org.osgi.annotation.versioning.ProviderType;

/** Rule for the addresses to which image sources connect. Thread-safe. */
@ProviderType
@FunctionalInterface
public interface AddressRule {
  /**
   * Checks the address of a connection that is about to be made. A source asks with the very
   * address to which it then connects, for each connection again: a name may resolve to another one
   * later. Where a proxy connects instead, the source asks with all addresses that it knows of.
   *
   * @param address of the peer, not null
   * @throws StorageException FORBIDDEN when the source may not connect to it; the message names the
   *     address and the setting that allows it
   */
  void require(InetAddress address) throws StorageException;
}
