package dev.holdfast.engine.lvm.blobs.links;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ProviderType;

/** Export of a blob to other nodes. Thread-safe. */
@ProviderType
public interface PoolExport extends AutoCloseable {
  /** Returns where other nodes reach it. */
  PoolAddress address();

  /**
   * Withdraws it. When this returns, the device is closed: every request that was accepted has
   * reached it, and later ones are refused. Idempotent.
   *
   * @throws StorageException IO when the device cannot be closed
   */
  @Override
  void close() throws StorageException;
}
