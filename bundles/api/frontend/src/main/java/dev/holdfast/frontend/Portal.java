package dev.holdfast.frontend;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ProviderType;

/** The platform's owner of listeners and connections. Thread-safe. */
@ProviderType
public interface Portal {

  /**
   * Shows a device to hosts under a name through a frontend. The device is used, not closed, by the
   * portal. When the frontend's bundle is away, the export waits for it: clients are held, not
   * refused.
   *
   * @param frontend name of a frontend, for example {@code nbd}, not null
   * @param export name of the export, unique per frontend, not null
   * @param device what to show, not null
   * @return the running export, never null
   * @throws StorageException UNSUPPORTED when no such frontend is installed; ALREADY_EXISTS; IO
   *     when its listener cannot be opened (the message names address and port)
   */
  PublishedExport publish(String frontend, String export, BlockDevice device)
      throws StorageException;

  /**
   * As {@link #publish(String, String, BlockDevice)}, with a place for what is to outlive the
   * export, for example persistent reservations.
   *
   * @param frontend name of a frontend, for example {@code nbd}, not null
   * @param export name of the export, unique per frontend, not null
   * @param device what to show, not null
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
   * As {@link #publish(String, String, BlockDevice, ExportStateStore)}, as one of several paths by
   * which hosts reach a volume: exports of one name by several portals, which may be on several
   * nodes. Each has a path with another number.
   *
   * @param frontend name of a {@link MultipathFrontend}, for example {@code nvmeof}, not null
   * @param export name of the export, the same for all paths, not null
   * @param device what to show, not null
   * @param store keeps the durable part of the export's state, not null
   * @param path number and first access state, not null; {@link PublishedExport#access} changes the
   *     state
   * @return the running export, never null
   * @throws StorageException UNSUPPORTED when the frontend is none or its protocol has no paths;
   *     otherwise as the other methods
   * @since 2.1
   */
  PublishedExport publish(
      String frontend, String export, BlockDevice device, ExportStateStore store, ExportPath path)
      throws StorageException;
}
