package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Backup of a store. Stores that keep their state in their own files implement this type beside
 * {@link ResourceStore}.
 */
@ConsumerType
public interface StoreBackup {
  /**
   * Writes a consistent copy of all stored data to a new file during use. The file is complete and
   * durable when the call returns, and absent when it fails.
   *
   * @param file the new file, which must not exist; its directory must exist
   * @throws StorageException ALREADY_EXISTS when the file exists; NO_SPACE, IO
   */
  void backUp(Path file) throws StorageException;
}
