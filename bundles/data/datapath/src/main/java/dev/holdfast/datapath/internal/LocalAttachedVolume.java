package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumeStatus.Phase;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.SnapshotExports;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.Portal;
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
 * volume waiting and no two steps of one volume overlap; the methods only order them, and {@link
 * PathSteps} makes them. {@link #status()} tells how far they got, and the observer is told of
 * every change.
 */
final class LocalAttachedVolume implements AttachedVolume {
  private static final Logger LOG = LoggerFactory.getLogger(LocalAttachedVolume.class);

  private final String volume;
  private final PathProgress progress;
  private final Executor serial;
  private final Observer observer;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  private final VolumeStack served;
  private final PathSteps steps;
  private final CurrentStep runningStep = new CurrentStep();

  /** Told, on the path's executor, how it goes. */
  interface Observer {
    /** The view changed. */
    void changed();

    /** Nothing is open any more, and never will be; until this returns, no other path may be. */
    void closed(LocalAttachedVolume path);
  }

  /** Creates a path with nothing open. */
  LocalAttachedVolume(
      String volume,
      InstalledPlugins plugins,
      InstantSource clock,
      Executor threads,
      EngineReplacements replacements,
      Observer observer) {
    this.volume = volume;
    this.progress = new PathProgress(clock);
    this.served = new VolumeStack(volume, threads);
    EngineBinding engines =
        new EngineBinding(volume, plugins, served, replacements, Listener::new, threads);
    this.steps = new PathSteps(volume, engines, served, progress);
    this.serial = new SerialExecutor(threads);
    this.observer = observer;
  }

  @Override
  public AttachedVolumeStatus status() {
    return progress.view();
  }

  /** Returns whether another node may pass requests on to the volume. */
  boolean letsIn() {
    return !status().admits().isEmpty();
  }

  @Override
  public Optional<CopyingDevice> copying() {
    return served.copying();
  }

  /** Returns how many requests hosts made so far. */
  long requests() {
    return served.requests();
  }

  /** Returns how its engine is doing, for a watchdog. */
  EngineHealth pulse() {
    return new EngineHealth(
        volume,
        steps.opening().map(OpenParameters::dataEngine).orElse(""),
        served.engine(),
        served.statistics(),
        runningStep.lasts(),
        runningStep.place());
  }

  /** Opens the volume, if it is not open. */
  void open(OpenParameters how) {
    if (progress.beginOpening()) {
      step(() -> steps.open(how));
    }
  }

  /** Opens the volume here whose requests were forwarded so far; they wait until it is open. */
  void takeOver(OpenParameters how) {
    step(() -> steps.takeOver(how));
  }

  /** Lets another node pass requests on to the open volume, empty for none. */
  void admit(Optional<String> node) {
    step(() -> steps.admit(node));
  }

  /** Shows the open volume through a frontend, which keeps there what is to outlive the export. */
  void publish(Portal portal, String frontend, ExportStateStore state) {
    step(() -> steps.publish(portal, frontend, state));
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

  @Override
  public SnapshotExports snapshotExports() {
    return served.snapshots();
  }

  @Override
  public GatedDevice.Hold hold(Duration drain) throws StorageException {
    return served.hold(drain);
  }

  /** Takes the export back; the volume stays open. */
  void withdraw() {
    step(steps::withdraw);
  }

  /** Withdraws and closes everything; the future ends when nothing is open any more. */
  CompletableFuture<Void> close() {
    if (progress.beginClosing()) {
      serial.execute(
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

  @Override
  public <T> CompletableFuture<T> operate(Operation<T> operation) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    step(() -> steps.operate(operation, outcome));
    return outcome;
  }

  /** Lets go of an engine that goes away: another takes over, or requests wait until one comes. */
  CompletableFuture<Void> engineLeaving(EngineProvider leaving) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    step(
        () -> {
          steps.engineLeaving(leaving);
          done.complete(null);
        });
    return done;
  }

  /** Goes to an engine of this name if it is better, or if it was waited for. */
  void engineArrived(String name) {
    step(() -> steps.engineArrived(name));
  }

  /** Goes to a better engine, if that was not possible when it came. */
  void catchUp() {
    step(steps::catchUp);
  }

  /** Returns the engine that has the volume open. */
  Optional<EngineProvider> usedEngine() {
    return served.engine();
  }

  /** Returns the name of the engine that requests wait for; empty when none do. */
  Optional<String> awaitedEngine() {
    return steps
        .opening()
        .map(OpenParameters::dataEngine)
        .filter(name -> status().phase() == Phase.HELD);
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
          steps.portalLeaving(portal);
          done.complete(null);
        });
    return done;
  }

  private void step(Runnable action) {
    serial.execute(
        () -> {
          AttachedVolumeStatus before = status();
          runningStep.during(action);
          if (!status().equals(before)) {
            observer.changed();
          }
        });
  }

  private final class Listener implements OpeningListener {
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
    public void replicaChanged(String replica, MemberMode mode, String reason) {
      LOG.info("volume {}: replica {} is {} now: {}", volume, replica, mode, reason);
      ifCurrent(current -> progress.modes(current.replicas()));
    }

    @Override
    public void failed(StorageException cause) {
      ifCurrent(
          current -> {
            LOG.warn("volume {}: its engine gave up: {}", volume, cause.getMessage());
            steps.breakDown(cause);
          });
    }
  }
}
