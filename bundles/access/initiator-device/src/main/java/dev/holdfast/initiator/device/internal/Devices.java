package dev.holdfast.initiator.device.internal;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Optional;

/** The block devices of a host. */
interface Devices {
  /**
   * Returns the block device behind a path, such as {@code /dev/dm-3} of {@code /dev/vg/lv}; empty
   * if none exists.
   *
   * @throws StorageException IO
   */
  Optional<Path> resolve(Path path) throws StorageException;

  /**
   * Checks that a device is neither mounted nor used by another one.
   *
   * @throws StorageException BUSY with the remedy; IO
   */
  void requireUnused(Path device) throws StorageException;

  /** Returns the size of a device in bytes, 0 if unknown. */
  long bytes(Path device);
}
