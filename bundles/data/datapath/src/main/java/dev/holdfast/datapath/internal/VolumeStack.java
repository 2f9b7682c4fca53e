package dev.holdfast.datapath.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.filter.GateCause;
import dev.holdfast.block.filter.GateStatistics;
import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.block.filter.ThrottledDevice;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.datapath.ServingState;
import dev.holdfast.datapath.SnapshotExports;
import dev.holdfast.datapath.internal.hosts.ExportHosts;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReclaimingVolume;
import dev.holdfast.engine.ResizableForwardedVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open parts of a volume: export, throttle, copying, gate, open volume. Closed from the outside
 * in, so that no part uses a closed one. An export of the engine bypasses throttle and gate. Used
 * by one thread at a time.
 */
final class VolumeStack {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeStack.class);
  private static final Duration DRAIN = Duration.ofSeconds(20);

  /** Short enough that clients do not notice; slower requests end later. */
  private static final Duration SHORT_DRAIN = Duration.ofSeconds(2);

  private static final Duration HAND_OVER = Duration.ofSeconds(15);

  /** Longer than the time for which the portal still serves clients of a withdrawn export. */
  private static final Duration WITHDRAWAL = Duration.ofSeconds(8);

  private final String volume;
  private final Executor threads;
  private volatile Optional<EngineProvider> engine = Optional.empty();
  private Optional<OpenVolume> open = Optional.empty();
  private volatile Optional<GatedDevice> gate = Optional.empty();
  private volatile Optional<CopyingDevice> copying = Optional.empty();
  private volatile Optional<ThrottledDevice> throttle = Optional.empty();
  private final LongAdder requests = new LongAdder();
  private boolean reclaims;
  private Optional<String> adopts = Optional.empty();
  private Optional<GatedDevice.Hold> hold = Optional.empty();
  private final VolumeServing serving;
  private Optional<Handover> handover = Optional.empty();
  private final SnapshotExports snapshots;
  private final GuardedPluginCalls calls;
  private final ForwardingPeers peers;

  VolumeStack(String volume, Executor threads, ExportHosts hosts) {
    this.volume = volume;
    this.threads = threads;
    this.serving = new VolumeServing(volume, hosts);
    this.snapshots = new SnapshotExports(volume);
    this.calls = new GuardedPluginCalls(threads);
    this.peers = new ForwardingPeers(volume);
  }

  boolean isOpen() {
    return open.isPresent();
  }

  SnapshotExports snapshots() {
    return snapshots;
  }

  /** Returns how many requests hosts made so far; for any thread. */
  long requests() {
    return requests.sum() + serving.exportedRequests();
  }

  /** Returns what hosts did so far; for any thread. */
  Optional<IoStatistics> statistics() {
    return serving.statistics().or(() -> gate.map(GatedDevice::statistics));
  }

  /** Returns the detailed statistics of the gate; for any thread. */
  Optional<GateStatistics> gateStatistics() {
    return gate.map(GatedDevice::details);
  }

  /** Returns how long requests waited for limits; for any thread. */
  long throttledNanos() {
    return throttle.map(ThrottledDevice::waitedNanos).orElse(0L);
  }

  /** Returns how hosts reach the volume. */
  VolumeServing serving() {
    return serving;
  }

  /** Returns the device into which its first content is copied, if any; for any thread. */
  Optional<CopyingDevice> copying() {
    return copying;
  }

  Optional<OpenVolume> openVolume() {
    return open;
  }

  /** Returns the engine that has it open; for any thread. */
  Optional<EngineProvider> engine() {
    return engine;
  }

  /** Returns the hand-over of the last engine, until the next one has the volume open. */
  Optional<Handover> handover() {
    return handover;
  }

  /**
   * Sets the hand-over for the next attempt to resume; empty when the volume is to be opened again.
   */
  void handover(Optional<Handover> next) {
    handover = next;
  }

  boolean isOpen(OpenVolume which) {
    return open.filter(present -> present == which).isPresent();
  }

  boolean isOpenedBy(EngineProvider which) {
    return engine.filter(used -> used == which).isPresent();
  }

  /** Records the volume that an engine opened; no request reaches it yet. */
  void opened(EngineProvider by, OpenVolume volumeOpened) {
    engine = Optional.of(by);
    open = Optional.of(volumeOpened);
    handover = Optional.empty();
    reclaim(reclaims);
  }

  /** Sets whether trims remove snapshots, now and after another opening. */
  void reclaim(boolean enabled) {
    reclaims = enabled;
    open.filter(ReclaimingVolume.class::isInstance)
        .map(ReclaimingVolume.class::cast)
        .ifPresent(able -> able.trimRemovesSnapshots(enabled));
  }

  /**
   * Puts the gate above the open volume; requests that waited for it continue.
   *
   * @param plan regions to copy while the volume is served; a running copy continues behind an
   *     existing gate
   */
  void serve(Optional<RegionCopyPlan> plan) {
    if (hold.isPresent()) {
      serveAgain();
      return;
    }
    GatedDevice opened = new GatedDevice(volume, open.orElseThrow().device());
    gate = Optional.of(opened);
    copying = plan.map(p -> new CopyingDevice(volume, opened, p));
    BlockDevice shown = copying.isPresent() ? copying.get() : opened;
    adopts.ifPresent(protocol -> serving.adopted(protocol, opened));
    adopts = Optional.empty();
    throttle =
        Optional.of(new ThrottledDevice(volume, shown, System::nanoTime, this::later, requests));
    throttle.get().limit(serving.limits());
  }

  /**
   * Records that hosts already use an export of the engine, which an earlier process left.
   *
   * @param protocol protocol of that export
   */
  void adopted(String protocol) {
    adopts = Optional.of(protocol);
  }

  /** Passes the requests that wait at the gate to the open volume. */
  void serveAgain() {
    OpenVolume below = open.orElseThrow();
    hold.orElseThrow().replace(below.device());
    release();
    snapshots.resume(below);
    admitAgain();
  }

  /** Admits exactly these nodes to forward requests to the open volume. */
  void admit(Set<String> nodes) {
    peers.welcome(nodes);
    admitAgain();
  }

  private void admitAgain() {
    if (engine.isPresent() && gate.isPresent()) {
      peers.admit(engine.get(), gate.get());
    }
  }

  /**
   * Redirects forwarded requests to the open volume. Requests that the other node did not answer
   * are repeated.
   */
  void redirect(ForwardedVolume from) {
    OpenVolume below = open.orElseThrow();
    from.redirect(below.device());
    // If the drain times out, requests continue through the former device, which redirects them.
    try (GatedDevice.Hold held = gate.orElseThrow().hold(GateCause.MIGRATION, SHORT_DRAIN)) {
      var unused = held.replace(below.device());
      closeOpened(from);
    } catch (StorageException e) {
      LOG.info("volume {}: still using the former device: {}", volume, e.getMessage());
    }
  }

  /** Lets a volume that forwards requests show the size that it has on the other node. */
  void follow(long sizeBytes) {
    open.filter(ResizableForwardedVolume.class::isInstance)
        .map(ResizableForwardedVolume.class::cast)
        .ifPresent(able -> able.grown(sizeBytes));
  }

  private void later(long nanos, Runnable task) {
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, threads).execute(task);
  }

  /** Sets the limits of hosts, now and after another opening. */
  void limit(IoLimits wanted) {
    throttle.ifPresent(device -> device.limit(wanted));
    serving.limit(wanted);
  }

  /** Holds the requests of hosts until the result is closed. */
  HeldRequests hold(Duration drain) throws StorageException {
    return serving.hold(drain, gate.orElseThrow());
  }

  /** Publishes the volume, and returns the way and the reason. */
  ServingState publish(VolumeServing.Publication wanted) throws StorageException {
    return serving.publish(wanted, layers());
  }

  /** Returns the way in use and the reason; empty when no host can reach the volume. */
  Optional<ServingState> review() {
    return serving.review(layers());
  }

  /** Returns whether another way than the one in use would be chosen now. */
  boolean wantsOtherWay() {
    return serving.wantsOther(layers());
  }

  /** Starts to change how the volume is served while hosts use it; empty without a change. */
  Optional<WayChange> beginChange(VolumeServing.Publication wanted) throws StorageException {
    return serving.beginChange(wanted, layers());
  }

  /** Lets the second path of a change serve. */
  void switchOver(VolumeServing.Publication wanted, Duration drain) throws StorageException {
    serving.switchOver(wanted, layers(), drain);
  }

  /** Withdraws the path of a change that is not serving. */
  void endChange() throws StorageException {
    serving.endChange(layers());
  }

  private VolumeServing.Layers layers() {
    return new VolumeServing.Layers(
        engine.orElseThrow(),
        open.orElseThrow(),
        gate.orElseThrow(),
        throttle.orElseThrow(),
        copying.filter(copied -> !copied.isWhole()).isPresent());
  }

  /**
   * Ends the opening for another engine that resumes it immediately, while requests wait at the
   * gate.
   *
   * @throws StorageException TIMEOUT when requests in flight do not end soon, BUSY when the engine
   *     cannot hand over now: the volume is open as before then
   */
  void leaveToAnother() throws StorageException {
    // Before the gate holds the peers' requests, which would prevent the withdrawal of their
    // admission.
    peers.expel();
    hold = Optional.of(gate.orElseThrow().hold(GateCause.REPLACEMENT, SHORT_DRAIN));
    leave(false);
  }

  /**
   * Ends the opening while its requests wait at the gate, possibly for long.
   *
   * @throws StorageException when requests do not end in time; the volume stays open
   */
  void closeBehindGate() throws StorageException {
    peers.expel();
    hold = Optional.of(gate.orElseThrow().hold(GateCause.REPLACEMENT, DRAIN));
    leave(true);
    LOG.info("volume {}: the bundle of its engine was removed; holding its requests", volume);
  }

  private void leave(boolean lasting) throws StorageException {
    OpenVolume leaving = open.orElseThrow();
    snapshots.suspend();
    try {
      handover = handOver(leaving, lasting);
    } catch (GuardedPluginCalls.Hung e) {
      LOG.error("{}: opening the volume again", e.getMessage());
    } catch (StorageException e) {
      if (e.code() == ErrorCode.BUSY && !lasting) {
        release();
        snapshots.resume(leaving);
        admitAgain();
        throw e;
      }
      LOG.warn("volume {}: could not hand it over, opening it again: {}", volume, e.getMessage());
      closeOpened(leaving);
    }
    open = Optional.empty();
    engine = Optional.empty();
    serving.lose();
    hold.ifPresent(GatedDevice.Hold::vacate);
  }

  /**
   * Ends this process's part of a volume that its engine exports, while hosts continue. The next
   * process adopts the export.
   */
  void leaveServing() {
    snapshots.hideAll();
    peers.welcome(Set.of());
    peers.expel();
    if (gate.isPresent() && !gate.get().shut(DRAIN)) {
      LOG.warn("volume {}: this process ends with requests in flight", volume);
    }
    open.ifPresent(this::handOverToNextProcess);
    forgetAll();
    LOG.info("volume {}: its engine continues to export it", volume);
  }

  private void handOverToNextProcess(OpenVolume leaving) {
    if (leaving instanceof HandoverVolume able) {
      String what = "volume " + volume + ": leaving its export";
      try {
        // The engine keeps the state for the next process.
        calls.within(HAND_OVER, what, () -> able.handOver(true), tooLate -> {});
      } catch (StorageException e) {
        LOG.warn(
            "volume {}: could not keep its state for the next process, which recovers as "
                + "after a crash: {}",
            volume,
            e.getMessage());
      }
    }
  }

  private void forgetAll() {
    stopCopying();
    hold.ifPresent(GatedDevice.Hold::close);
    hold = Optional.empty();
    gate = Optional.empty();
    throttle = Optional.empty();
    open = Optional.empty();
    engine = Optional.empty();
    handover = Optional.empty();
    serving.forget();
  }

  private Optional<Handover> handOver(OpenVolume leaving, boolean lasting) throws StorageException {
    if (leaving instanceof HandoverVolume able) {
      String what = "volume " + volume + ": handing over";
      return Optional.of(
          calls.within(HAND_OVER, what, () -> able.handOver(lasting), tooLate -> {}));
    }
    closeOpened(leaving);
    return Optional.empty();
  }

  private void release() {
    hold.ifPresent(GatedDevice.Hold::close);
    hold = Optional.empty();
  }

  /** Closes everything. */
  void takeDown() {
    // Requests that wait for the limits would delay their clients, and so the withdrawal.
    throttle.ifPresent(device -> device.limit(IoLimits.NONE));
    throttle = Optional.empty();
    if (hold.isPresent()
        || isForwarding()
        || copying.filter(CopyingDevice::hasWaiting).isPresent()) {
      withdrawHeld();
    }
    withdraw();
    stopCopying();
    peers.welcome(Set.of());
    peers.expel();
    if (gate.isPresent() && !gate.get().shut(DRAIN)) {
      LOG.warn("volume {}: closing with requests in flight", volume);
    }
    snapshots.hideAll();
    open.ifPresent(this::closeOpened);
    forgetAll();
  }

  /** An export that cannot be withdrawn now ends with the volume. */
  private void withdraw() {
    try {
      serving.withdraw();
    } catch (StorageException e) {
      LOG.info(
          "volume {}: could not withdraw its export, which ends with the volume: {}",
          volume,
          e.getMessage());
    }
  }

  private void stopCopying() {
    Optional<CopyingDevice> stopped = copying;
    copying = Optional.empty();
    stopped.ifPresent(CopyingDevice::shut);
  }

  private boolean isForwarding() {
    return open.filter(ForwardedVolume.class::isInstance).isPresent();
  }

  /**
   * Withdraws an export whose requests wait at the gate or for another node. They can end only when
   * the gate or the engine refuses them. By then their connections should be closed, so that
   * clients do not take the refusal for a disk error.
   */
  private void withdrawHeld() {
    CompletableFuture<Void> withdrawal =
        CompletableFuture.allOf(
            CompletableFuture.runAsync(peers::expel, threads),
            CompletableFuture.runAsync(this::withdraw, threads));
    try {
      withdrawal.get(WITHDRAWAL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.debug("volume {}: failing the held requests", volume);
    } catch (ExecutionException e) {
      LOG.error("volume {}: could not withdraw its export", volume, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    stopCopying();
    boolean unused = gate.map(g -> g.shut(Duration.ZERO)).orElse(true);
    if (isForwarding()) {
      open.ifPresent(this::closeOpened);
    }
    withdrawal.exceptionally(failure -> null).join();
  }

  private void closeOpened(OpenVolume closing) {
    try {
      closing.close();
    } catch (StorageException e) {
      LOG.warn(
          "volume {}: did not close cleanly; the next attach repairs it: {}",
          volume,
          e.getMessage());
    } catch (RuntimeException | LinkageError e) {
      LOG.error("volume {}: its engine failed to close it", volume, e);
    }
  }
}
