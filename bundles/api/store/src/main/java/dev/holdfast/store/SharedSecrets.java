package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Offered beside {@link ResourceStore} by stores that all nodes of a cluster reach by themselves:
 * secrets that the nodes share with no other party. Every user of the store may read them.
 * Thread-safe.
 */
@ConsumerType
public interface SharedSecrets {
  /**
   * Agrees with the other nodes on a secret: all nodes get the one that was offered first,
   * permanently. Idempotent.
   *
   * @param name of the secret: lower case letters, digits and dashes, not null
   * @param offered texts by their names, kept only if there is no secret of that name yet, not null
   * @return the texts that are kept, never null
   * @throws StorageException UNREACHABLE, TIMEOUT: ask again; FORBIDDEN when the secret may not be
   *     read, or is missing and may not be made; INVALID when what is kept cannot be understood
   */
  Map<String, String> agree(String name, Map<String, String> offered) throws StorageException;
}
