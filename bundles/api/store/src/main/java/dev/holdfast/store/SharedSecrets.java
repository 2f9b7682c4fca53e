package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Secrets that the nodes of a cluster share. Stores that all nodes reach directly implement this
 * type beside {@link ResourceStore}. Every user of the store may read the secrets. Thread-safe.
 */
@ConsumerType
public interface SharedSecrets {
  /**
   * Agrees with the other nodes on a secret. The first offer wins permanently, and all nodes
   * receive it. Idempotent.
   *
   * @param name of the secret: lower case letters, digits and dashes, not null
   * @param offered texts by their names, stored only if the secret does not exist yet, not null
   * @return the stored texts, never null
   * @throws StorageException UNREACHABLE, TIMEOUT: call again; FORBIDDEN when the secret may not be
   *     read, or is missing and may not be created; INVALID when the stored secret has an unknown
   *     form
   */
  Map<String, String> agree(String name, Map<String, String> offered) throws StorageException;
}
