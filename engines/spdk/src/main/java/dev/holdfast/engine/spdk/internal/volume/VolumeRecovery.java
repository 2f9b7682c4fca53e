package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.OpenRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores a volume in the background after the connection to it was lost: another engine took
 * over, or the target was restarted. It tries again for a minute, and then gives the volume up.
 * Thread-safe.
 */
final class VolumeRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeRecovery.class);
  private static final long AGAIN_MILLIS = 250;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final SpdkContext context;
  private final OpenRequest request;
  private final SpdkLegs legs;
  private final SpdkLegs.Change restoration;
  private final Consumer<StorageException> giveUp;
  private final AtomicBoolean running = new AtomicBoolean();

  /**
   * Creates the recovery of a volume.
   *
   * @param restoration restores the volume once, and calls {@link #ended} before requests continue;
   *     CONFLICT says that another opening took over
   * @param giveUp fails the requests, also later ones
   */
  VolumeRecovery(
      SpdkContext context,
      OpenRequest request,
      SpdkLegs legs,
      SpdkLegs.Change restoration,
      Consumer<StorageException> giveUp) {
    this.context = context;
    this.request = request;
    this.legs = legs;
    this.restoration = restoration;
    this.giveUp = giveUp;
  }

  /** Returns whether the volume is being restored. */
  boolean isRunning() {
    return running.get();
  }

  /**
   * Begins to restore the volume. Requests wait. Does not block.
   *
   * @return false when it is being restored already
   */
  boolean begin(StorageException cause) {
    boolean begun = running.compareAndSet(false, true);
    if (begun) {
      LOG.info("volume {}: restoring it: {}", request.volume(), cause.getMessage());
      long end = System.nanoTime() + PATIENCE_NANOS;
      context.restorations().execute(() -> restore(end));
    }
    return begun;
  }

  /** The volume is restored. */
  void ended() {
    running.set(false);
  }

  private void restore(long end) {
    try {
      restoration.run();
    } catch (StorageException e) {
      if (e.code() == ErrorCode.CONFLICT || System.nanoTime() - end > 0) {
        giveUp.accept(explanation(e));
      } else {
        LOG.debug("volume {}: not restored yet", request.volume(), e);
        var unused =
            context
                .restorations()
                .schedule(() -> restore(end), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (RuntimeException e) {
      LOG.error("volume {}: could not be restored", request.volume(), e);
      giveUp.accept(
          new StorageException(ErrorCode.INTERNAL, "volume " + request.volume() + ": " + e, e));
    }
  }

  private StorageException explanation(StorageException cause) {
    try {
      long now = request.register().read().generation();
      long own = legs.record().opening().generation();
      if (now != own) {
        return new StorageException(
            ErrorCode.FORBIDDEN,
            "volume " + request.volume() + ": was opened elsewhere in generation " + now,
            cause);
      }
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
    return cause;
  }
}
