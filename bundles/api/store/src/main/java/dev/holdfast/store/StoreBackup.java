package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import org.osgi.annotation.versioning.ConsumerType;

/** Offered beside {@link ResourceStore} by stores that keep their state in files of their own. */
@ConsumerType
public interface StoreBackup {
  /**
   * Writes a consistent copy of everything that is stored to a new file, while the store is in use.
   * The file is complete and durable when the call returns, and absent when it fails.
   *
   * @param file to be made; its directory must exist, the file must not
   * @throws StorageException ALREADY_EXISTS when the file is there; NO_SPACE, IO
   */
  void backUp(Path file) throws StorageException;
}
