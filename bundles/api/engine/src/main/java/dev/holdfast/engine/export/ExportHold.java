package dev.holdfast.engine.export;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A time in which no host changes the volume through an export, see {@link NativeExport#hold}.
 *
 * @since 1.0
 */
@ConsumerType
public interface ExportHold extends AutoCloseable {

  /**
   * Lets requests of hosts continue, those that waited first. Idempotent; succeeds when the export
   * or the opening has ended.
   *
   * @throws StorageException IO when the process that serves the export does not answer: the engine
   *     restarts it, and requests continue then
   */
  @Override
  void close() throws StorageException;
}
