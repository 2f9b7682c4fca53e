package dev.holdfast.node.internal;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.Portal;
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

  private final String volume;
  private final PathEngine engines;
  private final PathProgress progress;
  private final Executor steps;
  private final Observer observer;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  private final ServedVolume served;
  private final RunningStep runningStep = new RunningStep();

  // Only changed by steps, as is what is served.
  private volatile Optional<Opening> opening = Optional.empty();

  /** Told, on the path's executor, how it goes. */
  interface Observer {
    /** The view changed. */
    void changed();

    /** Nothing is open any more, and never will be; until this returns, no other path may be. */
    void closed(DataPath path);
  }

  /**
   * How a volume is opened.
   *
   * @param requests asked again for every attempt
   * @param forwardTo the node that has it open, to which requests are passed on; empty to open it
   *     here
   */
  record Opening(String dataEngine, RequestSource requests, Optional<String> forwardTo) {
    Opening(String dataEngine, RequestSource requests) {
      this(dataEngine, requests, Optional.empty());
    }

    /** Serves it by passing requests on to the node that has it open. */
    static Opening forward(String dataEngine, String node) {
      return new Opening(
          dataEngine,
          listener -> {
            throw new IllegalStateException("nothing is opened here");
          },
          Optional.of(node));
    }
  }

  /** Something that is done with an open volume, in order with its opening and closing. */
  @FunctionalInterface
  interface Operation<T> {
    /**
     * Does it; may block, and the volume is neither published nor closed meanwhile.
     *
     * @param opened the volume
     * @param view what the path does now
     */
    T run(OpenVolume opened, PathView view) throws StorageException;
  }

  /** Makes the request that an engine is given. */
  @FunctionalInterface
  interface RequestSource {
    OpenRequest request(EngineListener listener) throws StorageException;

    /** The engine opened the volume as requested; nobody reaches it before this returns. */
    default void opened() throws StorageException {}

    /** Returns what was still to be copied into the volume when it was opened last. */
    default Optional<CopyPlan> copying() {
      return Optional.empty();
    }
  }

  /** Creates a path with nothing open. */
  DataPath(
      String volume,
      InstalledPlugins plugins,
      InstantSource clock,
      Executor threads,
      EngineReplacements replacements,
      Observer observer) {
    this.volume = volume;
    this.progress = new PathProgress(clock);
    this.served = new ServedVolume(volume, threads);
    this.engines = new PathEngine(volume, plugins, served, replacements, Listener::new, threads);
    this.steps = new SerialExecutor(threads);
    this.observer = observer;
  }

  PathView view() {
    return progress.view();
  }

  /** Returns the device into which its first content is copied, if there is one. */
  Optional<CopyingDevice> copying() {
    return served.copying();
  }

  /** Returns how many requests hosts made so far. */
  long requests() {
    return served.requests();
  }

  /** Returns how its engine is doing, for a watchdog. */
  PathPulse pulse() {
    return new PathPulse(
        volume,
        opening.map(Opening::dataEngine).orElse(""),
        served.engine(),
        served.statistics(),
        runningStep.lasts(),
        runningStep.place());
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

  /** Opens the volume here whose requests were passed on so far; they wait meanwhile. */
  void takeOver(Opening how) {
    step(() -> takeOverNow(how));
  }

  /** Lets another node pass requests on to the open volume, empty for none. */
  void admit(Optional<String> node) {
    step(
        () -> {
          if (view().phase() == Phase.OPEN) {
            served.admit(node);
            progress.admits(node.orElse(""));
          }
        });
  }

  /** Shows the open volume through a frontend, which keeps there what is to outlive the export. */
  void publish(Portal portal, String frontend, ExportStateStore state) {
    step(() -> publishNow(portal, frontend, state));
  }

  /** Notes that it cannot be shown now. */
  void publishImpossible(StorageException why) {
    step(() -> progress.publishFailed(why));
  }

  /** Limits what hosts may use. */
  void limit(IoLimits limits) {
    step(() -> served.limit(limits));
  }

  /** Says whether trims give up the snapshots that keep them from reclaiming space. */
  void reclaim(boolean enabled) {
    step(() -> served.reclaim(enabled));
  }

  /** Returns the snapshots that are shown, for operations of this path. */
  SnapshotExports snapshotExports() {
    return served.snapshots();
  }

  /** Holds the requests of hosts, for operations of this path. */
  GatedDevice.Hold hold(Duration drain) throws StorageException {
    return served.hold(drain);
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
            runningStep.during(served::takeDown);
            progress.withdrawn();
            progress.closed();
            observer.closed(this);
            closed.complete(null);
          });
    }
    return closed;
  }

  /**
   * Runs something with the open volume as a step of this path. What it does to the size of the
   * device is reported.
   *
   * @return what came of it; fails with UNREACHABLE when the volume is not open
   */
  <T> CompletableFuture<T> operate(Operation<T> operation) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    step(() -> operateNow(operation, outcome));
    return outcome;
  }

  private <T> void operateNow(Operation<T> operation, CompletableFuture<T> outcome) {
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

  /** Lets go of an engine that goes away: another takes over, or requests wait until one comes. */
  CompletableFuture<Void> engineLeaving(Engine leaving) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    step(
        () -> {
          engines.forget(leaving);
          if (served.isOpenedBy(leaving)) {
            moveNow();
          }
          if (served.isOpenedBy(leaving)) {
            holdNow(leaving);
          }
          done.complete(null);
        });
    return done;
  }

  /** Goes to an engine of this name if it is better, or if it was waited for. */
  void engineArrived(String name) {
    step(
        () -> {
          Optional<Opening> how = opening.filter(o -> o.dataEngine().equals(name));
          if (how.isPresent() && view().phase() == Phase.HELD) {
            openNow(how.get());
          } else if (how.isPresent() && view().phase() == Phase.OPEN) {
            moveNow();
          } else if (how.isPresent()) {
            progress.retryNow();
          }
        });
  }

  /** Goes to a better engine, if that was not possible when it came. */
  void catchUp() {
    step(
        () -> {
          if (view().phase() == Phase.OPEN && progress.mayMove()) {
            moveNow();
          }
        });
  }

  /** Returns the engine that has the volume open. */
  Optional<Engine> usedEngine() {
    return served.engine();
  }

  /** Returns the name of the engine that requests wait for; empty when none do. */
  Optional<String> awaitedEngine() {
    return opening.map(Opening::dataEngine).filter(name -> view().phase() == Phase.HELD);
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
          served.snapshots().hide(portal);
          if (served.isShownBy(portal)) {
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
          runningStep.during(action);
          if (!view().equals(before)) {
            observer.changed();
          }
        });
  }

  private void openNow(Opening how) {
    if (served.isOpen() || !progress.beginOpening()) {
      return;
    }
    try {
      engines.open(how);
      OpenVolume volumeOpened = served.openVolume().orElseThrow();
      long size = volumeOpened.device().size();
      // If it shall close meanwhile, the step that closes comes next and finds it open.
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

  private void takeOverNow(Opening how) {
    if (view().phase() != Phase.FORWARDING) {
      return;
    }
    OpenVolume from = served.openVolume().orElseThrow();
    try {
      engines.open(how);
      opening = Optional.of(how);
      served.redirect((ForwardedVolume) from);
      OpenVolume here = served.openVolume().orElseThrow();
      // If it shall close meanwhile, the step that closes comes next.
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
  private void moveNow() {
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
      LOG.info("volume {}: stays with its engine for now: {}", volume, e.getMessage());
      progress.moveLater();
    }
  }

  private void publishNow(Portal portal, String frontend, ExportStateStore state) {
    // The wish may have been repeated before its first step was done.
    boolean shown = served.isShownBy(portal) && view().frontend().equals(frontend);
    boolean serves = view().phase() == Phase.OPEN || view().phase() == Phase.FORWARDING;
    if (shown || !served.isOpen() || !serves) {
      return;
    }
    withdrawNow();
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

  private void withdrawNow() {
    served.withdraw();
    progress.withdrawn();
  }

  private void holdNow(Engine leaving) {
    if (view().phase() == Phase.OPEN || view().phase() == Phase.FORWARDING) {
      try {
        served.closeBehindGate();
        progress.held();
        return;
      } catch (StorageException e) {
        LOG.warn("volume {}: cannot keep its requests waiting, closes: {}", volume, e.getMessage());
      }
    }
    breakDown(PathEngine.notInstalled(volume, leaving.name()));
  }

  private void breakDown(StorageException why) {
    served.takeDown();
    progress.withdrawn();
    progress.brokenDown(why);
  }

  private final class Listener implements PathListener {
    private Optional<OpenVolume> heard = Optional.empty();

    @Override
    public void becomeCurrent(OpenVolume opened) {
      heard = Optional.of(opened);
    }

    private void ifCurrent(Consumer<OpenVolume> action) {
      step(
          () -> {
            if (heard.filter(served::isOpen).isPresent()) {
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
            breakDown(cause);
          });
    }
  }
}
