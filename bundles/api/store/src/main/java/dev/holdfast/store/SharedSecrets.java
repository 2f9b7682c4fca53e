package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Offered beside {@link ResourceStore} by stores that all nodes of a cluster reach by themselves:
 * what the nodes must have in common and nobody else may see. Whoever may use the store may read
 * it. Thread-safe.
 */
@ConsumerType
public interface SharedSecrets {
  /**
   * Agrees with the other nodes on a secret: it is what the first one offered, for everybody and
   * for good. Idempotent.
   *
   * @param name of the secret: lower case letters, digits and dashes, not null
   * @param offered texts by their names, kept only if there is no secret of that name yet, not null
   * @return the texts that are kept, never null
   * @throws StorageException UNREACHABLE, TIMEOUT: ask again; FORBIDDEN when the secret may not be
   *     read, or is missing and may not be made; INVALID when what is kept cannot be understood
   */
  Map<String, String> agree(String name, Map<String, String> offered) throws StorageException;
}
