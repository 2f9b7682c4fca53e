package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.iscsi.internal.scsi.CommandException;
import java.util.concurrent.atomic.AtomicInteger;

/** How much data the commands of a connection hold in memory until it is complete. Thread-safe. */
final class DataOutQuota {
  private static final int AT_MOST = 16 << 20;

  private final AtomicInteger bytes = new AtomicInteger();

  /**
   * Reserves memory for Data-Out bytes.
   *
   * @throws CommandException TASK SET FULL when the connection has too much of it
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
