package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Opening;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A volume while the process of its target is replaced: all requests wait, none is in flight, and
 * the records say that its replicas are equal. The monitor of the volume guards it.
 *
 * <pre>
 *   hosts inaccessible, drained ─ device drained ─ records clean ─ process replaced
 *   ─ restored, records not clean ─ hosts accessible
 * </pre>
 *
 * <p>After a crash in between the next opening finds clean records, so that all replicas count.
 */
final class TargetPause {
  private static final Duration DRAIN = Duration.ofSeconds(30);

  private final SpdkLegs legs;
  private final SpdkDevice device;
  private final SpdkQuiesce quiesce;
  private final Consumer<StorageException> lost;
  private Optional<ExportHold> hold = Optional.empty();

  /**
   * Creates one that is not active.
   *
   * @param lost restores the volume before its requests continue
   */
  TargetPause(
      SpdkLegs legs, SpdkDevice device, SpdkQuiesce quiesce, Consumer<StorageException> lost) {
    this.lost = lost;
    this.legs = legs;
    this.device = device;
    this.quiesce = quiesce;
  }

  boolean isActive() {
    return hold.isPresent();
  }

  /**
   * Begins it.
   *
   * @throws StorageException BUSY when the platform holds the hosts; TIMEOUT when requests did not
   *     end; as a record that cannot be written
   */
  void begin() throws StorageException {
    ExportHold hosts = quiesce.holdHosts();
    try {
      device.hold(DRAIN);
    } catch (StorageException e) {
      hosts.close();
      throw e;
    }
    hold = Optional.of(hosts);
    try {
      mark(true);
    } catch (StorageException e) {
      resume(false);
      throw e;
    }
  }

  private void mark(boolean clean) throws StorageException {
    Opening own = legs.record().opening();
    legs.write(record -> record.opened(new Opening(own.generation(), own.session(), clean)));
  }

  /**
   * Lets requests continue, over the same process, or when the volume was restored over another.
   */
  void resume(boolean replaced) {
    if (!isActive()) {
      return; // it was restored already
    }
    StorageException cause =
        new StorageException(ErrorCode.UNREACHABLE, "the process of its target was replaced");
    try {
      if (!replaced) {
        mark(false);
        end();
        device.release();
        return;
      }
    } catch (StorageException e) {
      cause = e;
    }
    lost.accept(cause);
  }

  /** Lets hosts continue, also those whose hold was released while the target did not answer. */
  void end() throws StorageException {
    if (hold.isPresent()) {
      hold.get().close();
      hold = Optional.empty();
    }
    quiesce.endHold();
  }
}
