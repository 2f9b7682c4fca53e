package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.GateStatistics;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumeStatus.Phase;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.InstalledEngine;
import dev.holdfast.datapath.SnapshotExports;
import dev.holdfast.datapath.internal.figures.VolumeFigures;
import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volume of one engine on this node, from its first opening until it is closed.
 *
 * <p>The methods schedule steps. Each step changes the volume as far as possible, and its result is
 * in {@link #status()}; the caller schedules an impossible step again. Steps never overlap. They
 * block as long as engines and portals do.
 */
final class LocalAttachedVolume implements AttachedVolume {
  private static final Logger LOG = LoggerFactory.getLogger(LocalAttachedVolume.class);

  private final String engine;
  private final String volume;
  private final LocalAttachedVolumes node;
  private final VolumeLifecycle lifecycle;
  private final Executor serial;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final VolumeStack stack;
  private final EngineBinding binding;
  private final VolumePublisher publisher;
  private final CurrentStep currentStep = new CurrentStep();
  private final AtomicBoolean measuring = new AtomicBoolean();
  private volatile Optional<OpenParameters> opening = Optional.empty();

  /** Creates a volume with nothing open. */
  LocalAttachedVolume(String engine, String volume, LocalAttachedVolumes node) {
    this.engine = engine;
    this.volume = volume;
    this.node = node;
    this.lifecycle = new VolumeLifecycle(node.clock());
    this.stack = new VolumeStack(volume, node.executor(), node.exportHosts());
    this.binding =
        new EngineBinding(
            volume, node.plugins(), stack, node.replacements(), Listener::new, node.executor());
    this.publisher =
        new VolumePublisher(volume, engine, node, stack, lifecycle, this::breakDown, this::step);
    this.serial = new SerialExecutor(volume, node.executor());
  }

  /** Returns the name of the engine. */
  String engine() {
    return engine;
  }

  @Override
  public AttachedVolumeStatus status() {
    return lifecycle.status();
  }

  private Phase phase() {
    return status().phase();
  }

  @Override
  public Optional<CopyingDevice> copying() {
    return stack.copying();
  }

  /** Returns the number of requests that hosts made so far. */
  long requests() {
    return stack.requests();
  }

  /** Returns statistics of hosts' requests; empty while the volume is not open. */
  Optional<VolumeFigures> figures() {
    Optional<GateStatistics> gate = stack.gateStatistics();
    return stack
        .statistics()
        .map(io -> new VolumeFigures(volume, io, gate, stack.throttledNanos()));
  }

  /** Returns the health of the engine for {@link EngineHangDetector}. */
  EngineHealth health() {
    measure();
    return new EngineHealth(
        volume,
        opening.map(OpenParameters::dataEngine).orElse(""),
        stack.engine(),
        stack.statistics(),
        currentStep.lasts(),
        currentStep.place());
  }

  /** Requests statistics of the engine's export for the next health check. */
  private void measure() {
    if (stack.serving().isNative() && measuring.compareAndSet(false, true)) {
      serial.execute(
          () -> {
            currentStep.during(stack.serving()::measure);
            measuring.set(false);
          });
    }
  }

  @Override
  public SnapshotExports snapshotExports() {
    return stack.snapshots();
  }

  @Override
  public HeldRequests hold(Duration drain) throws StorageException {
    return stack.hold(drain);
  }

  /** Opens the volume, if it is not open; also retries after a failure. */
  void open(OpenParameters how) {
    if (lifecycle.beginOpening()) {
      step(
          () -> {
            opening = Optional.of(how);
            openNow(how);
          });
    }
  }

  private void openNow(OpenParameters how) {
    if (stack.isOpen() || !lifecycle.beginOpening()) {
      return;
    }
    try {
      binding.open(how);
      OpenVolume opened = stack.openVolume().orElseThrow();
      long size = opened.device().size();
      // If a close was requested during the opening, the closing step runs next and finds the open
      // volume.
      if (reached(how, opened, size)) {
        stack.serve(how.requests().copying());
        publisher.findExport();
      }
    } catch (StorageException e) {
      lifecycle.openFailed(e);
    } catch (RuntimeException | Error e) {
      // Neither a plugin's defect nor a lack of memory may leave the volume half open.
      LOG.error("volume {}: engine {} failed to open it", volume, how.dataEngine(), e);
      lifecycle.openFailed(VolumePublisher.internal(volume, e));
    }
  }

  private boolean reached(OpenParameters how, OpenVolume opened, long size) {
    node.reached(engine);
    return how.forwardTo().isPresent()
        ? lifecycle.forwards(size, how.forwardTo().get())
        : lifecycle.opened(opened.replicas(), size);
  }

  /** Opens a forwarded volume here, or forwards it to its new owner. Requests wait until then. */
  void takeOver(OpenParameters how) {
    step(() -> takeOverNow(how));
  }

  private void takeOverNow(OpenParameters how) {
    if (phase() != Phase.FORWARDING) {
      return;
    }
    OpenVolume from = stack.openVolume().orElseThrow();
    try {
      binding.open(how);
      opening = Optional.of(how);
      stack.redirect((ForwardedVolume) from);
      OpenVolume here = stack.openVolume().orElseThrow();
      // If a close was requested in between, the closing step runs next.
      boolean unused = reached(how, here, here.device().size());
    } catch (StorageException e) {
      LOG.info("volume {}: not taken over yet: {}", volume, e.getMessage());
      lifecycle.takeOverFailed(e);
    } catch (RuntimeException | Error e) {
      LOG.error("volume {}: engine {} failed to take it over", volume, how.dataEngine(), e);
      lifecycle.takeOverFailed(VolumePublisher.internal(volume, e));
    }
  }

  /** Hands the open volume over to the preferred engine, if another one has it. */
  private void move() {
    Optional<InstalledEngine> to =
        phase() == Phase.OPEN
            ? opening.flatMap(how -> binding.better(how.dataEngine()))
            : Optional.empty();
    if (to.isEmpty()) {
      return;
    }
    try {
      Optional<StorageException> failure = binding.move(to.get(), opening.orElseThrow());
      lifecycle.moved(failure);
      stack.openVolume().ifPresent(now -> lifecycle.modes(now.replicas()));
      if (stack.isOpen()) {
        publisher.findExport();
      } else {
        lifecycle.held();
        lifecycle.openFailed(failure.orElseThrow());
      }
    } catch (StorageException e) {
      LOG.info("volume {}: keeps the bundle of its engine, retrying: {}", volume, e.getMessage());
      lifecycle.moveLater();
    }
  }

  /** Sets the size that hosts see to the size on the node to which requests are forwarded. */
  void follow(long sizeBytes) {
    step(() -> stack.follow(sizeBytes));
  }

  /** Admits exactly these nodes to forward requests to the open volume. */
  void admit(Set<String> others) {
    step(
        () -> {
          if (phase() == Phase.OPEN) {
            stack.admit(others);
            lifecycle.admits(others);
          }
        });
  }

  /** Publishes the open volume by a protocol; an empty name withdraws it. */
  void publish(String frontend) {
    step(
        () -> {
          if (frontend.isEmpty()) {
            publisher.withdraw();
          } else {
            publisher.publish(frontend);
          }
        });
  }

  /** Sets the limits of hosts. */
  void limit(IoLimits limits) {
    step(
        () -> {
          stack.limit(limits);
          publisher.review();
        });
  }

  /** Sets whether trims remove the snapshots that prevent them from freeing space. */
  void reclaim(boolean enabled) {
    step(() -> stack.reclaim(enabled));
  }

  /** Withdraws and closes everything; the future completes when all parts are closed. */
  CompletableFuture<Void> close() {
    if (lifecycle.beginClosing()) {
      serial.execute(this::closeNow);
    }
    return closed;
  }

  private void closeNow() {
    // Checks again whether an export of the engine ended before the volume is reported as closed.
    boolean lasting =
        opening
            .flatMap(how -> node.plugins().engine(how.dataEngine()))
            .flatMap(LeftExports::lasting)
            .isPresent();
    currentStep.during(stack::takeDown);
    lifecycle.withdrawn();
    if (lasting) {
      node.left(this);
    } else {
      lifecycle.closed();
      node.closed(this);
    }
    closed.complete(null);
  }

  /** Closes everything because the process ends; an export that lasts continues to serve. */
  CompletableFuture<Void> leave() {
    if (lifecycle.beginClosing()) {
      serial.execute(
          () -> {
            if (stack.serving().lasts()) {
              currentStep.during(stack::leaveServing);
              node.left(this);
              closed.complete(null);
            } else {
              closeNow();
            }
          });
    }
    return closed;
  }

  private void hold(EngineProvider leaving) {
    if (lifecycle.serves()) {
      try {
        stack.closeBehindGate();
        lifecycle.held();
        return;
      } catch (StorageException e) {
        LOG.warn("volume {}: could not hold its requests, closing it: {}", volume, e.getMessage());
      }
    }
    breakDown(EngineBinding.notInstalled(volume, leaving.name()));
  }

  /** Closes all parts: hosts cannot use the volume until it is opened again. */
  private void breakDown(StorageException why) {
    stack.takeDown();
    lifecycle.withdrawn();
    lifecycle.brokenDown(why);
  }

  @Override
  public <T> CompletableFuture<T> operate(Operation<T> operation) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    step(() -> operateNow(operation, outcome));
    return outcome;
  }

  private <T> void operateNow(Operation<T> operation, CompletableFuture<T> outcome) {
    Optional<OpenVolume> opened = stack.openVolume().filter(o -> phase() == Phase.OPEN);
    if (opened.isEmpty()) {
      outcome.completeExceptionally(
          new StorageException(
              ErrorCode.UNREACHABLE, "volume " + volume + " is not open on this node"));
      return;
    }
    try {
      T result = operation.run(opened.get(), status());
      lifecycle.resized(opened.get().device().size());
      outcome.complete(result);
    } catch (StorageException e) {
      outcome.completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      LOG.error("volume {}: its engine failed an operation", volume, e);
      outcome.completeExceptionally(VolumePublisher.internal(volume, e));
    }
  }

  /** Releases a removed engine: another engine takes over, or requests wait until one arrives. */
  CompletableFuture<Void> engineLeaving(EngineProvider leaving) {
    return done(
        () -> {
          binding.forget(leaving);
          if (stack.isOpenedBy(leaving)) {
            move();
          }
          if (stack.isOpenedBy(leaving)) {
            hold(leaving);
          }
        });
  }

  /** Moves to an arrived engine of this name if it is preferred, or if requests wait for it. */
  void engineArrived(String name) {
    step(
        () -> {
          Optional<OpenParameters> how = opening.filter(o -> o.dataEngine().equals(name));
          if (how.isPresent() && phase() == Phase.HELD) {
            openNow(how.get());
          } else if (how.isPresent() && phase() == Phase.OPEN) {
            move();
          } else if (how.isPresent()) {
            lifecycle.retryNow();
          }
        });
  }

  /** Moves to a preferred engine, if that was impossible at its arrival. */
  void catchUp() {
    step(
        () -> {
          if (phase() == Phase.OPEN && lifecycle.mayMove()) {
            move();
          }
          publisher.review();
        });
  }

  /** Returns the engine that has the volume open. */
  Optional<EngineProvider> usedEngine() {
    return stack.engine();
  }

  /** Returns the name of the engine that requests wait for; empty when none do. */
  Optional<String> awaitedEngine() {
    return opening.map(OpenParameters::dataEngine).filter(name -> phase() == Phase.HELD);
  }

  /** Makes a failed publication due immediately. */
  void frontendArrived() {
    step(lifecycle::retryPublication);
  }

  /** Forgets the export of a portal that is removed. */
  CompletableFuture<Void> portalLeaving(Portal portal) {
    return done(
        () -> {
          stack.snapshots().hide(portal);
          stack.serving().leave(portal);
          if (stack.serving().present().filter(way -> way.isThrough(portal)).isPresent()) {
            publisher.withdraw();
          }
        });
  }

  private CompletableFuture<Void> done(Runnable action) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    step(
        () -> {
          action.run();
          done.complete(null);
        });
    return done;
  }

  private void step(Runnable action) {
    serial.execute(
        () -> {
          AttachedVolumeStatus before = status();
          currentStep.during(action);
          if (!status().equals(before)) {
            node.tryReport(this);
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
            if (heard.filter(stack::isOpen).isPresent()) {
              action.accept(heard.get());
            }
          });
    }

    @Override
    public void replicaChanged(String replica, MemberMode mode, String reason) {
      LOG.info("volume {}: replica {} changed to {}: {}", volume, replica, mode, reason);
      ifCurrent(current -> lifecycle.modes(current.replicas()));
    }

    @Override
    public void replicaDropped(String replica, String reason) {
      LOG.warn("volume {}: the engine dropped replica {}: {}", volume, replica, reason);
      ifCurrent(current -> lifecycle.modes(current.replicas()));
    }

    @Override
    public void waiting(Optional<RequestWait> wait) {
      ifCurrent(current -> lifecycle.waiting(wait));
    }

    @Override
    public void exportChanged() {
      ifCurrent(
          current -> {
            LOG.info("volume {}: its native export changed", volume);
            stack.serving().lose();
            publisher.findExport();
          });
    }

    @Override
    public void failed(StorageException cause) {
      ifCurrent(
          current -> {
            LOG.warn("volume {}: its engine stopped serving it: {}", volume, cause.getMessage());
            node.gaveUp(engine, volume, cause);
            breakDown(cause);
          });
    }
  }
}
