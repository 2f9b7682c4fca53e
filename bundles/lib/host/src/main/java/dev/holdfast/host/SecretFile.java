package dev.holdfast.host;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import org.osgi.annotation.versioning.ProviderType;

/** A file with a secret in the memory of a host, until it is closed. */
@ProviderType
public interface SecretFile extends AutoCloseable {
  /** Returns where it is. */
  Path path();

  /**
   * Deletes it.
   *
   * @throws StorageException IO when it still exists
   */
  @Override
  void close() throws StorageException;
}
