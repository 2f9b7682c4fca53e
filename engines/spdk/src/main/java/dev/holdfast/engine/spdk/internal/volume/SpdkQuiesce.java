package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;

/**
 * Holds all requests of a volume: those of hosts and those of its device. The hold ends on every
 * path. The monitor of the volume guards it.
 */
final class SpdkQuiesce {
  private static final Duration DRAIN = Duration.ofSeconds(30);

  private final SpdkDevice device;
  private Optional<NvmeExport> export = Optional.empty();

  SpdkQuiesce(SpdkDevice device) {
    this.device = device;
  }

  /** Sets the export of the volume. */
  void exported(NvmeExport shown) {
    export = Optional.of(shown);
  }

  /**
   * Holds hosts and waits for their requests, until the result is closed.
   *
   * @throws StorageException BUSY when the platform holds them already; TIMEOUT when requests did
   *     not end: nothing was changed
   */
  ExportHold holdHosts() throws StorageException {
    Optional<NvmeExport> serving = export.filter(one -> !one.isEnded());
    return serving.isPresent() ? serving.get().hold(DRAIN) : () -> {};
  }

  /** Ends a hold of hosts that was released while the target did not answer. */
  void endHold() throws StorageException {
    if (export.isPresent()) {
      export.get().endHold();
    }
  }

  /**
   * Makes a change between two requests. Hosts that the platform holds already stay held.
   *
   * @throws StorageException TIMEOUT when requests did not end: nothing was changed; as the change
   */
  void run(SpdkLegs.Change change) throws StorageException {
    Optional<NvmeExport> serving = export.filter(one -> !one.isEnded() && !one.isHeld());
    if (serving.isEmpty()) {
      held(change);
      return;
    }
    ExportHold hold = serving.get().hold(DRAIN);
    try (hold) {
      held(change);
    }
  }

  private void held(SpdkLegs.Change change) throws StorageException {
    device.hold(DRAIN);
    try {
      change.run();
    } finally {
      device.release();
    }
  }
}
