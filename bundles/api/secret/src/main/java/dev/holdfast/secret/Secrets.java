package dev.holdfast.secret;

import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Reads secrets by their names. A provider registers it as an OSGi service; several may be there,
 * and the one of the highest ranking that has a secret counts. Thread-safe.
 *
 * <p>Messages of exceptions name the secret and its keys, never a value.
 */
@ConsumerType
public interface Secrets {
  /**
   * Reads the present value of a secret.
   *
   * @param name of the secret: lower-case letters, digits, dashes and dots, not null
   * @return a new map of at least one value by its key; empty when the secret does not exist
   * @throws StorageException INVALID for a name that no secret can have; FORBIDDEN when it may not
   *     be read, or when others may read it; IO, UNREACHABLE, TIMEOUT
   */
  Optional<Map<String, byte[]>> read(String name) throws StorageException;
}
