package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Where the durable texts of one export's {@link ExportState} are kept. The publisher of the export
 * implements it. Called by one thread at a time, which it may block.
 *
 * @since 1.3
 */
@ConsumerType
public interface ExportStateStore {

  /**
   * Returns the texts that were saved last, never null.
   *
   * @throws StorageException when they cannot be read: then the export must not be shown
   */
  Map<String, String> load() throws StorageException;

  /**
   * Replaces all texts; they are durable when this returns.
   *
   * @param texts all that are to be kept, not null
   * @throws StorageException when it is not known to be durable
   */
  void save(Map<String, String> texts) throws StorageException;
}
