package dev.holdfast.node.internal;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.node.internal.PathView.Phase;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One volume's way from its export to its engine on this node: export, gate, open volume.
 *
 * <p>Every step runs on the path's own serial executor, so that a slow opening keeps no other
 * volume waiting and no two steps of one volume overlap; the methods only order them. {@link
 * #view()} tells how far they got, and the observer is told of every change.
 */
final class DataPath {
  private static final Logger LOG = LoggerFactory.getLogger(DataPath.class);
  private static final Duration DRAIN = Duration.ofSeconds(20);

  private final String volume;
  private final InstalledPlugins plugins;
  private final PathProgress progress;
  private final Executor steps;
  private final Observer observer;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  // Only touched by steps.
  private Optional<Opening> opening = Optional.empty();
  private Optional<Engine> engine = Optional.empty();
  private Optional<OpenVolume> open = Optional.empty();
  private Optional<GatedDevice> gate = Optional.empty();
  private Optional<GatedDevice.Hold> hold = Optional.empty();
  private Optional<Published> published = Optional.empty();

  private record Published(Portal portal, PublishedExport export) {}

  /** Told, on the path's executor, how it goes. */
  interface Observer {
    /** The view changed. */
    void changed();

    /** Nothing is open any more, and never will be; until this returns, no other path may be. */
    void closed(DataPath path);
  }

  /** How a volume is opened: asked again for every attempt. */
  record Opening(String dataEngine, RequestSource requests) {}

  /** Makes the request that an engine is given. */
  @FunctionalInterface
  interface RequestSource {
    OpenRequest request(EngineListener listener) throws StorageException;
  }

  /** Creates a path with nothing open. */
  DataPath(
      String volume,
      InstalledPlugins plugins,
      InstantSource clock,
      Executor threads,
      Observer observer) {
    this.volume = volume;
    this.plugins = plugins;
    this.progress = new PathProgress(clock);
    this.steps = new SerialExecutor(threads);
    this.observer = observer;
  }

  PathView view() {
    return progress.view();
  }

  /** Opens the volume, if it is not open. */
  void open(Opening how) {
    if (progress.beginOpening()) {
      step(
          () -> {
            opening = Optional.of(how);
            openNow(how);
          });
    }
  }

  /** Shows the open volume through a frontend. */
  void publish(Portal portal, String frontend) {
    step(() -> publishNow(portal, frontend));
  }

  /** Notes that it cannot be shown now. */
  void publishImpossible(StorageException why) {
    step(() -> progress.publishFailed(why));
  }

  /** Takes the export back; the volume stays open. */
  void withdraw() {
    step(this::withdrawNow);
  }

  /** Withdraws and closes everything; the future ends when nothing is open any more. */
  CompletableFuture<Void> close() {
    if (progress.beginClosing()) {
      steps.execute(
          () -> {
            tearDown();
            progress.closed();
            observer.closed(this);
            closed.complete(null);
          });
    }
    return closed;
  }

  /** Lets go of an engine that goes away: requests wait until it, or another of its name, comes. */
  CompletableFuture<Void> engineLeaving(Engine leaving) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    step(
        () -> {
          if (engine.filter(used -> used == leaving).isPresent()) {
            holdNow();
          }
          done.complete(null);
        });
    return done;
  }

  /** Tries again at once if it waits for an engine of this name. */
  void engineArrived(String name) {
    step(
        () -> {
          Optional<Opening> how = opening.filter(o -> o.dataEngine().equals(name));
          if (how.isPresent() && view().phase() == Phase.HELD) {
            openNow(how.get());
          } else if (how.isPresent()) {
            progress.retryNow();
          }
        });
  }

  /** Lets a failed publication be tried again at once. */
  void frontendArrived() {
    step(progress::retryPublication);
  }

  /** Forgets the export of a portal that goes away. */
  CompletableFuture<Void> portalLeaving(Portal portal) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    step(
        () -> {
          if (published.filter(p -> p.portal() == portal).isPresent()) {
            withdrawNow();
          }
          done.complete(null);
        });
    return done;
  }

  private void step(Runnable action) {
    steps.execute(
        () -> {
          PathView before = view();
          action.run();
          if (!view().equals(before)) {
            observer.changed();
          }
        });
  }

  private void openNow(Opening how) {
    if (open.isPresent() || !progress.beginOpening()) {
      return;
    }
    try {
      Engine found =
          plugins.engine(how.dataEngine()).orElseThrow(() -> notInstalled(how.dataEngine()));
      Listener listener = new Listener();
      OpenVolume volumeOpened = found.open(how.requests().request(listener));
      engine = Optional.of(found);
      open = Optional.of(volumeOpened);
      listener.becomeCurrent(volumeOpened);
      serve(volumeOpened);
    } catch (StorageException e) {
      progress.openFailed(e);
    } catch (RuntimeException | LinkageError e) {
      // A plugin that breaks its contract must not take the path's executor with it.
      LOG.error("volume {}: engine {} failed to open it", volume, how.dataEngine(), e);
      progress.openFailed(
          new StorageException(ErrorCode.INTERNAL, "volume " + volume + ": " + e, e));
    }
  }

  private void serve(OpenVolume volumeOpened) {
    boolean wanted = progress.opened(volumeOpened.replicas(), volumeOpened.device().size());
    if (!wanted) {
      // The step that closes comes next and finds the open volume.
      return;
    }
    if (hold.isPresent()) {
      hold.get().replace(volumeOpened.device());
      hold.get().close();
      hold = Optional.empty();
      LOG.info("volume {}: its engine is back, requests go on", volume);
    } else {
      gate = Optional.of(new GatedDevice(volume, volumeOpened.device()));
    }
  }

  private StorageException notInstalled(String name) {
    return new StorageException(
        ErrorCode.UNSUPPORTED,
        "volume " + volume + ": engine " + name + " is not installed: install its bundle");
  }

  private void publishNow(Portal portal, String frontend) {
    if (gate.isEmpty() || view().phase() != Phase.OPEN) {
      return;
    }
    withdrawNow();
    try {
      PublishedExport export = portal.publish(frontend, volume, gate.get());
      published = Optional.of(new Published(portal, export));
      progress.published(frontend, export.endpoint().toString());
    } catch (StorageException e) {
      progress.publishFailed(e);
    } catch (RuntimeException e) {
      LOG.error("volume {}: cannot be published through {}", volume, frontend, e);
      progress.publishFailed(
          new StorageException(ErrorCode.INTERNAL, "volume " + volume + ": " + e, e));
    }
  }

  private void withdrawNow() {
    published.ifPresent(p -> p.export().close());
    published = Optional.empty();
    progress.withdrawn();
  }

  private void holdNow() {
    StorageException why = notInstalled(engine.map(Engine::name).orElse(""));
    if (view().phase() != Phase.OPEN) {
      tearDown();
      progress.brokenDown(why);
      return;
    }
    try {
      GatedDevice.Hold held = gate.orElseThrow().hold(DRAIN);
      closeVolume();
      held.vacate();
      hold = Optional.of(held);
      progress.held(why);
      LOG.info("volume {}: its engine goes away, requests wait", volume);
    } catch (StorageException e) {
      LOG.warn("volume {}: cannot keep its requests waiting, closes: {}", volume, e.getMessage());
      tearDown();
      progress.brokenDown(why);
    }
  }

  /** Closes what is open, outermost first, so that nothing touches what is closed. */
  private void tearDown() {
    if (hold.isPresent()) {
      // Requests that wait would keep the export from closing.
      gate.ifPresent(g -> g.shut(Duration.ZERO));
    }
    withdrawNow();
    if (gate.isPresent() && !gate.get().shut(DRAIN)) {
      LOG.warn("volume {}: closes with requests in flight", volume);
    }
    hold.ifPresent(GatedDevice.Hold::close);
    hold = Optional.empty();
    gate = Optional.empty();
    closeVolume();
  }

  private void closeVolume() {
    try {
      if (open.isPresent()) {
        open.get().close();
      }
    } catch (StorageException e) {
      LOG.warn("volume {}: not closed clean, repaired when opened: {}", volume, e.getMessage());
    } catch (RuntimeException | LinkageError e) {
      LOG.error("volume {}: its engine failed to close it", volume, e);
    }
    open = Optional.empty();
    engine = Optional.empty();
  }

  /** Listens to one opening; what an earlier one says later is no news. */
  private final class Listener implements EngineListener {
    private Optional<OpenVolume> heard = Optional.empty();

    void becomeCurrent(OpenVolume opened) {
      heard = Optional.of(opened);
    }

    private void ifCurrent(Consumer<OpenVolume> action) {
      step(
          () -> {
            if (heard.isPresent() && heard.equals(open)) {
              action.accept(heard.get());
            }
          });
    }

    @Override
    public void replicaChanged(String replica, ReplicaMode mode, String reason) {
      LOG.info("volume {}: replica {} is {} now: {}", volume, replica, mode, reason);
      ifCurrent(current -> progress.modes(current.replicas()));
    }

    @Override
    public void failed(StorageException cause) {
      ifCurrent(
          current -> {
            LOG.warn("volume {}: its engine gave up: {}", volume, cause.getMessage());
            tearDown();
            progress.brokenDown(cause);
          });
    }
  }
}
