package dev.holdfast.engine.lvm.blobs.links;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Serves devices of this host to other nodes: the export half of {@link PoolLinks}. Thread-safe.
 */
@FunctionalInterface
@ConsumerType
public interface PoolExporter {
  /**
   * Exports a device by the name of {@link NbdLinks#wireName}, as {@link PoolLinks#export} says.
   *
   * @param device of this host, a thin volume
   * @param exportName of the blob
   * @param generation of the pool's activation, positive
   * @return the export
   * @throws StorageException as {@link PoolLinks#export}
   */
  PoolExport export(Path device, String exportName, long generation) throws StorageException;
}
