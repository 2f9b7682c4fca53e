package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.ServingState;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes how hosts reach one volume while they use it, if this host is connected by a protocol
 * with paths. The host's calls run outside the steps of the volume, all other work inside. After a
 * crash the volume is served by one way, and a change starts again.
 *
 * <pre>
 *   publish the second path -> host connects it -> switch over -> host removes the first path
 *     -> withdraw the first path
 * </pre>
 *
 * <p>A failure before the switch leads to the last two steps for the second path.
 */
final class WayChanger {
  private static final Logger LOG = LoggerFactory.getLogger(WayChanger.class);
  private static final Duration DRAIN = Duration.ofSeconds(5);
  private static final Duration NEXT_ATTEMPT = Duration.ofSeconds(30);

  /**
   * Time for which a former path through the portal may have clients that this host does not know.
   */
  static final Duration FOREIGN = Duration.ofSeconds(20);

  private final String volume;
  private final LocalAttachedVolumes node;
  private final VolumeStack stack;
  private final VolumeLifecycle lifecycle;
  private final Executor steps;
  private Instant attemptAt = Instant.MIN;
  private Instant switchedAt = Instant.MIN;
  private boolean calling;

  /**
   * Creates an idle changer.
   *
   * @param steps runs the steps of the volume
   */
  WayChanger(
      String volume,
      LocalAttachedVolumes node,
      VolumeStack stack,
      VolumeLifecycle lifecycle,
      Executor steps) {
    this.volume = volume;
    this.node = node;
    this.stack = stack;
    this.lifecycle = lifecycle;
    this.steps = steps;
  }

  /** Operations of the volume that a change needs. */
  interface Uses {
    VolumeServing.Publication publication(String frontend);

    /** Closes the volume, because only that ends an export. */
    void breakDown(StorageException why);
  }

  /** Begins a change if it is wanted and possible, or continues one. */
  void review(Uses uses) {
    Optional<WayChange> change = stack.serving().change();
    if (calling) {
      return;
    }
    if (change.isPresent()) {
      leaveOther(change.get(), uses);
    } else if (stack.wantsOtherWay() && isDue()) {
      begin(uses);
    }
  }

  private boolean isDue() {
    return !node.clock().instant().isBefore(attemptAt);
  }

  private void begin(Uses uses) {
    attemptAt = node.clock().instant().plus(NEXT_ATTEMPT);
    String frontend = lifecycle.status().frontend();
    try {
      URI endpoint = URI.create(lifecycle.status().endpoint());
      if (node.hostPaths().canChange(volume, endpoint)) {
        stack
            .beginChange(uses.publication(frontend))
            .ifPresent(change -> connectBoth(change, uses));
      }
    } catch (StorageException e) {
      LOG.debug("volume {}: could not offer hosts another path: {}", volume, e.getMessage());
    } finally {
      report();
    }
  }

  private void report() {
    Optional<ServingState> state = stack.review();
    if (state.isPresent()) {
      lifecycle.serving(state);
    }
  }

  private void connectBoth(WayChange change, Uses uses) {
    connect(change.endpoints(), failure -> connected(change, failure, uses));
  }

  /**
   * Makes the host connect these paths, outside the steps; the next step receives the failure, if
   * any.
   */
  private void connect(List<URI> endpoints, Consumer<Optional<StorageException>> next) {
    calling = true;
    node.executor()
        .execute(
            () -> {
              Optional<StorageException> failure = connected(endpoints);
              steps.execute(
                  () -> {
                    calling = false;
                    next.accept(failure);
                  });
            });
  }

  private Optional<StorageException> connected(List<URI> endpoints) {
    try {
      node.hostPaths().connect(volume, endpoints);
      return Optional.empty();
    } catch (StorageException e) {
      return Optional.of(e);
    } catch (RuntimeException e) {
      return Optional.of(VolumePublisher.internal(volume, e));
    }
  }

  private boolean isCurrent(WayChange change) {
    // While the engine is absent no decision is possible; a later review continues.
    return stack.isOpen()
        && stack.serving().change().filter(present -> present == change).isPresent();
  }

  private void connected(WayChange change, Optional<StorageException> failure, Uses uses) {
    if (!isCurrent(change)) {
      return;
    }
    try {
      if (failure.isPresent()) {
        throw failure.get();
      }
      stack.switchOver(uses.publication(lifecycle.status().frontend()), DRAIN);
      switchedAt = node.clock().instant();
      LOG.info("volume {}: now served by {}", volume, change.to().endpoint());
      lifecycle.published(lifecycle.status().frontend(), change.to().endpoint());
    } catch (StorageException e) {
      LOG.info("volume {}: hosts stay on their path: {}", volume, e.getMessage());
      rollBack(change);
    }
    leaveOther(change, uses);
  }

  private void rollBack(WayChange change) {
    try {
      change.rollBack();
    } catch (StorageException e) {
      LOG.warn("volume {}: could not restore the path in use: {}", volume, e.getMessage());
    }
  }

  /** Makes the host remove the path that is not serving; then withdraws that way. */
  private void leaveOther(WayChange change, Uses uses) {
    List<URI> kept = List.of(URI.create(change.serving().endpoint()));
    connect(kept, failure -> left(change, failure, uses));
  }

  private void left(WayChange change, Optional<StorageException> failure, Uses uses) {
    if (!isCurrent(change)) {
      return;
    }
    if (failure.isPresent()) {
      LOG.info(
          "volume {}: could not remove its former path: {}", volume, failure.get().getMessage());
    } else if (isUsedByOthers(change)) {
      waitForOthers(uses);
    } else {
      end(uses);
    }
    report();
  }

  private static boolean isUsedByOthers(WayChange change) {
    return change.switched()
        && change.other() instanceof PortalServing portal
        && portal.isConnected();
  }

  /** An export of the engine admits this host only, so other hosts need the portal again. */
  private void waitForOthers(Uses uses) {
    if (node.clock().instant().isBefore(switchedAt.plus(FOREIGN))) {
      return;
    }
    LOG.info("volume {}: other hosts use it through the portal, which serves again", volume);
    connectBoth(stack.serving().reverseChange(), uses);
  }

  private void end(Uses uses) {
    try {
      stack.endChange();
    } catch (VolumeServing.LostExport e) {
      LOG.warn("{}", e.getMessage());
      uses.breakDown(e);
    } catch (StorageException e) {
      boolean unknown = e.code() == ErrorCode.TIMEOUT || e.code() == ErrorCode.IO;
      LOG.info(
          "volume {}: its former path {}: {}",
          volume,
          unknown ? "may still be published" : "is still published",
          e.getMessage());
    }
  }
}
