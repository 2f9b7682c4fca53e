package dev.holdfast.secret;

import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Reads secrets by their names. A provider registers an implementation as an OSGi service. Several
 * may be present; the provider of the highest ranking that has a secret is used. Thread-safe.
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
   * @throws StorageException INVALID for an invalid name; FORBIDDEN when the secret may not be
   *     read, or when other accounts may read it; IO, UNREACHABLE, TIMEOUT
   */
  Optional<Map<String, byte[]>> read(String name) throws StorageException;
}
