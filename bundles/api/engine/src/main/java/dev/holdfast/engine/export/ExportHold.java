package dev.holdfast.engine.export;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A period in which hosts cannot change the volume through an export, see {@link
 * NativeExport#hold}.
 *
 * @since 1.0
 */
@ConsumerType
public interface ExportHold extends AutoCloseable {

  /**
   * Lets requests of hosts continue, starting with the waiting ones. Idempotent; succeeds when the
   * export or the opening has ended.
   *
   * @throws StorageException IO when the process of the export does not answer; the engine restarts
   *     it, and requests then continue
   */
  @Override
  void close() throws StorageException;
}
