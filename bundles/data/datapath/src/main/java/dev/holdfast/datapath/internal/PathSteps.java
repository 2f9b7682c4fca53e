package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumeStatus.Phase;
import dev.holdfast.datapath.InstalledEngine;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.Portal;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of a data path: each brings the volume as far as possible, and reports the result to {@link
 * PathProgress}. A step that is not possible now reports that there, and is ordered again.
 *
 * <p>Not thread-safe: its methods are steps, and {@link LocalAttachedVolume} makes sure that no two
 * overlap; but {@link #opening} may be called from any thread. They block for as long as engines
 * and portals do.
 */
final class PathSteps {
  private static final Logger LOG = LoggerFactory.getLogger(PathSteps.class);

  private final String volume;
  private final EngineBinding engines;
  private final VolumeStack served;
  private final PathProgress progress;

  private volatile Optional<OpenParameters> opening = Optional.empty();

  PathSteps(String volume, EngineBinding engines, VolumeStack served, PathProgress progress) {
    this.volume = volume;
    this.engines = engines;
    this.served = served;
    this.progress = progress;
  }

  /** Returns how the volume is, or was to be, opened; empty before the first step. */
  Optional<OpenParameters> opening() {
    return opening;
  }

  private AttachedVolumeStatus view() {
    return progress.view();
  }

  /** Opens the volume, if it is not open. */
  void open(OpenParameters how) {
    opening = Optional.of(how);
    openNow(how);
  }

  private void openNow(OpenParameters how) {
    if (served.isOpen() || !progress.beginOpening()) {
      return;
    }
    try {
      engines.open(how);
      OpenVolume volumeOpened = served.openVolume().orElseThrow();
      long size = volumeOpened.device().size();
      // If it shall close in the meantime, the step that closes comes next and finds it open.
      if (how.forwardTo().isPresent()
          ? progress.forwards(size)
          : progress.opened(volumeOpened.replicas(), size)) {
        served.serve(how.requests().copying());
      }
    } catch (StorageException e) {
      progress.openFailed(e);
    } catch (RuntimeException | Error e) {
      // Neither a plugin that breaks its contract nor a lack of memory may leave it half open.
      LOG.error("volume {}: engine {} failed to open it", volume, how.dataEngine(), e);
      progress.openFailed(
          new StorageException(ErrorCode.INTERNAL, "volume " + volume + ": " + e, e));
    }
  }

  /** As {@link LocalAttachedVolume#takeOver}. */
  void takeOver(OpenParameters how) {
    if (view().phase() != Phase.FORWARDING) {
      return;
    }
    OpenVolume from = served.openVolume().orElseThrow();
    try {
      engines.open(how);
      opening = Optional.of(how);
      served.redirect((ForwardedVolume) from);
      OpenVolume here = served.openVolume().orElseThrow();
      // If it shall close in the meantime, the step that closes comes next.
      boolean unused = progress.opened(here.replicas(), here.device().size());
    } catch (StorageException e) {
      LOG.info("volume {}: not taken over yet: {}", volume, e.getMessage());
      progress.takeOverFailed(e);
    } catch (RuntimeException | Error e) {
      LOG.error("volume {}: engine {} failed to take it over", volume, how.dataEngine(), e);
      progress.takeOverFailed(
          new StorageException(ErrorCode.INTERNAL, "volume " + volume + ": " + e, e));
    }
  }

  /** Gives the open volume to the engine that counts now, if that is another. */
  private void move() {
    Optional<InstalledEngine> to =
        view().phase() == Phase.OPEN
            ? opening.flatMap(how -> engines.better(how.dataEngine()))
            : Optional.empty();
    if (to.isEmpty()) {
      return;
    }
    try {
      Optional<StorageException> failure = engines.move(to.get(), opening.orElseThrow());
      progress.moved(failure);
      served.openVolume().ifPresent(now -> progress.modes(now.replicas()));
      if (!served.isOpen()) {
        progress.held();
        progress.openFailed(failure.orElseThrow());
      }
    } catch (StorageException e) {
      LOG.info("volume {}: stays with its engine, retrying later: {}", volume, e.getMessage());
      progress.moveLater();
    }
  }

  /** As {@link LocalAttachedVolume#publish}. */
  void publish(Portal portal, String frontend, ExportStateStore state) {
    // The wish may have been repeated before its first step was done.
    boolean shown = served.isShownBy(portal) && view().frontend().equals(frontend);
    boolean serves = view().phase() == Phase.OPEN || view().phase() == Phase.FORWARDING;
    if (shown || !served.isOpen() || !serves) {
      return;
    }
    withdraw();
    try {
      progress.published(frontend, served.publish(portal, frontend, state));
    } catch (StorageException e) {
      progress.publishFailed(e);
    } catch (RuntimeException | Error e) {
      LOG.error("volume {}: cannot be published through {}", volume, frontend, e);
      progress.publishFailed(
          new StorageException(ErrorCode.INTERNAL, "volume " + volume + ": " + e, e));
    }
  }

  /** As {@link LocalAttachedVolume#withdraw}. */
  void withdraw() {
    served.withdraw();
    progress.withdrawn();
  }

  private void hold(EngineProvider leaving) {
    if (view().phase() == Phase.OPEN || view().phase() == Phase.FORWARDING) {
      try {
        served.closeBehindGate();
        progress.held();
        return;
      } catch (StorageException e) {
        LOG.warn("volume {}: cannot keep its requests waiting, closes: {}", volume, e.getMessage());
      }
    }
    breakDown(EngineBinding.notInstalled(volume, leaving.name()));
  }

  /** Closes everything: the volume can be used no longer, until it is opened again. */
  void breakDown(StorageException why) {
    served.takeDown();
    progress.withdrawn();
    progress.brokenDown(why);
  }

  /** As {@link LocalAttachedVolume#operate}. */
  <T> void operate(AttachedVolume.Operation<T> operation, CompletableFuture<T> outcome) {
    Optional<OpenVolume> opened = served.openVolume().filter(o -> view().phase() == Phase.OPEN);
    if (opened.isEmpty()) {
      outcome.completeExceptionally(
          new StorageException(
              ErrorCode.UNREACHABLE, "volume " + volume + " is not open on this node"));
      return;
    }
    try {
      T result = operation.run(opened.get(), view());
      progress.resized(opened.get().device().size());
      outcome.complete(result);
    } catch (StorageException e) {
      outcome.completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      LOG.error("volume {}: its engine failed an operation", volume, e);
      outcome.completeExceptionally(
          new StorageException(ErrorCode.INTERNAL, "volume " + volume + ": " + e, e));
    }
  }

  /** As {@link LocalAttachedVolume#admit}. */
  void admit(Optional<String> node) {
    if (view().phase() == Phase.OPEN) {
      served.admit(node);
      progress.admits(node.orElse(""));
    }
  }

  /** As {@link LocalAttachedVolume#engineLeaving}. */
  void engineLeaving(EngineProvider leaving) {
    engines.forget(leaving);
    if (served.isOpenedBy(leaving)) {
      move();
    }
    if (served.isOpenedBy(leaving)) {
      hold(leaving);
    }
  }

  /** As {@link LocalAttachedVolume#engineArrived}. */
  void engineArrived(String name) {
    Optional<OpenParameters> how = opening.filter(o -> o.dataEngine().equals(name));
    if (how.isPresent() && view().phase() == Phase.HELD) {
      openNow(how.get());
    } else if (how.isPresent() && view().phase() == Phase.OPEN) {
      move();
    } else if (how.isPresent()) {
      progress.retryNow();
    }
  }

  /** As {@link LocalAttachedVolume#catchUp}. */
  void catchUp() {
    if (view().phase() == Phase.OPEN && progress.mayMove()) {
      move();
    }
  }

  /** As {@link LocalAttachedVolume#portalLeaving}. */
  void portalLeaving(Portal portal) {
    served.snapshots().hide(portal);
    if (served.isShownBy(portal)) {
      withdraw();
    }
  }
}
