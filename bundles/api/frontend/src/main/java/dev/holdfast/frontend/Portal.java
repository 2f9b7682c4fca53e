package dev.holdfast.frontend;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ProviderType;

/** The platform's owner of listeners and connections. Thread-safe. */
@ProviderType
public interface Portal {

  /**
   * Publishes a device to hosts under a name through a frontend. The portal uses the device and
   * does not close it. While the frontend's bundle is absent, clients wait and are not rejected.
   *
   * @param frontend name of a frontend, for example {@code nbd}, not null
   * @param export name of the export, unique per frontend, not null
   * @param device the device to publish, not null
   * @return the running export, never null
   * @throws StorageException UNSUPPORTED when the frontend is not installed; ALREADY_EXISTS; IO
   *     when its listener cannot be opened (the message names address and port)
   */
  PublishedExport publish(String frontend, String export, BlockDevice device)
      throws StorageException;

  /**
   * As {@link #publish(String, String, BlockDevice)}, with a store for state that survives the
   * export, for example persistent reservations.
   *
   * @param frontend name of a frontend, for example {@code nbd}, not null
   * @param export name of the export, unique per frontend, not null
   * @param device the device to publish, not null
   * @param store keeps the durable part of the export's state, not null
   * @return the running export, never null
   * @throws StorageException as the other method, and the store's failure when its texts cannot be
   *     loaded
   * @since 1.3
   */
  PublishedExport publish(
      String frontend, String export, BlockDevice device, ExportStateStore store)
      throws StorageException;

  /**
   * As {@link #publish(String, String, BlockDevice, ExportStateStore)}, as one of several paths to
   * a volume. The paths are exports of one name by several portals, which may be on several nodes,
   * and each path has its own number.
   *
   * @param frontend name of a {@link MultipathFrontend}, for example {@code nvmeof}, not null
   * @param export name of the export, the same for all paths, not null
   * @param device the device to publish, not null
   * @param store keeps the durable part of the export's state, not null
   * @param path number and first access state, not null; {@link PublishedExport#access} changes the
   *     state
   * @return the running export, never null
   * @throws StorageException UNSUPPORTED when the frontend is not installed or its protocol has no
   *     paths; otherwise as the other methods
   * @since 2.1
   */
  PublishedExport publish(
      String frontend, String export, BlockDevice device, ExportStateStore store, ExportPath path)
      throws StorageException;
}
