package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.iscsi.internal.scsi.CommandException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Amount of data that the commands of a connection keep in memory until it is complete.
 * Thread-safe.
 */
final class DataOutQuota {
  private static final int AT_MOST = 16 << 20;

  private final AtomicInteger bytes = new AtomicInteger();

  /**
   * Reserves memory for Data-Out bytes.
   *
   * @throws CommandException TASK SET FULL when the connection exceeds its limit
   */
  void reserve(int more) throws CommandException {
    if (bytes.addAndGet(more) > AT_MOST) {
      bytes.addAndGet(-more);
      throw CommandException.full();
    }
  }

  void free(int less) {
    bytes.addAndGet(-less);
  }
}
