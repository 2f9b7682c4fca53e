package dev.holdfast.node.internal;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.block.filter.ThrottledDevice;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What of a volume is open: export, throttle, gate, open volume. Taken down outermost first, so
 * that nothing touches what is closed. Used by one thread at a time.
 */
final class ServedVolume {
  private static final Logger LOG = LoggerFactory.getLogger(ServedVolume.class);
  private static final Duration DRAIN = Duration.ofSeconds(20);

  /** Longer than the portal lets clients of a withdrawn export go on. */
  private static final Duration WITHDRAWAL = Duration.ofSeconds(8);

  private final String volume;
  private final Executor threads;
  private Optional<Engine> engine = Optional.empty();
  private Optional<OpenVolume> open = Optional.empty();
  private Optional<GatedDevice> gate = Optional.empty();
  private Optional<ThrottledDevice> throttle = Optional.empty();
  private final LongAdder requests = new LongAdder();
  private IoLimits limits = IoLimits.NONE;
  private Optional<GatedDevice.Hold> hold = Optional.empty();
  private Optional<Published> published = Optional.empty();
  private final SnapshotExports snapshots;

  private record Published(Portal portal, PublishedExport export) {}

  ServedVolume(String volume, Executor threads) {
    this.volume = volume;
    this.threads = threads;
    this.snapshots = new SnapshotExports(volume);
  }

  boolean isOpen() {
    return open.isPresent();
  }

  SnapshotExports snapshots() {
    return snapshots;
  }

  /** Returns how many requests hosts made so far; for any thread. */
  long requests() {
    return requests.sum();
  }

  Optional<OpenVolume> openVolume() {
    return open;
  }

  boolean isOpen(OpenVolume which) {
    return open.filter(present -> present == which).isPresent();
  }

  boolean isOpenedBy(Engine which) {
    return engine.filter(used -> used == which).isPresent();
  }

  boolean isShownBy(Portal portal) {
    return published.filter(p -> p.portal() == portal).isPresent();
  }

  /** Notes what an engine opened; nobody reaches it yet. */
  void opened(Engine by, OpenVolume volumeOpened) {
    engine = Optional.of(by);
    open = Optional.of(volumeOpened);
  }

  /** Puts the gate before the open volume; requests that waited for it go on. */
  void serve() {
    OpenVolume below = open.orElseThrow();
    if (hold.isPresent()) {
      hold.get().replace(below.device());
      hold.get().close();
      hold = Optional.empty();
      LOG.info("volume {}: its engine is back, requests go on", volume);
    } else {
      GatedDevice opened = new GatedDevice(volume, below.device());
      gate = Optional.of(opened);
      throttle =
          Optional.of(new ThrottledDevice(volume, opened, System::nanoTime, this::later, requests));
      throttle.get().limit(limits);
    }
  }

  private void later(long nanos, Runnable task) {
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, threads).execute(task);
  }

  /** Limits what hosts may use, from now on and after another opening. */
  void limit(IoLimits wanted) {
    limits = wanted;
    throttle.ifPresent(device -> device.limit(wanted));
  }

  /** Shows the gate through a frontend and returns the endpoint. */
  String publish(Portal portal, String frontend) throws StorageException {
    PublishedExport export = portal.publish(frontend, volume, throttle.orElseThrow());
    published = Optional.of(new Published(portal, export));
    return export.endpoint().toString();
  }

  void withdraw() {
    published.ifPresent(p -> p.export().close());
    published = Optional.empty();
  }

  /**
   * Closes the volume while its requests wait at the gate.
   *
   * @throws StorageException when requests do not end in time; the volume is still open
   */
  void closeBehindGate() throws StorageException {
    GatedDevice.Hold held = gate.orElseThrow().hold(DRAIN);
    closeVolume();
    held.vacate();
    hold = Optional.of(held);
    LOG.info("volume {}: its engine goes away, requests wait", volume);
  }

  /** Closes everything. */
  void takeDown() {
    // What waits for its turn would keep the clients, and so the withdrawal, waiting.
    throttle.ifPresent(device -> device.limit(IoLimits.NONE));
    throttle = Optional.empty();
    if (hold.isPresent()) {
      withdrawHeld();
    }
    withdraw();
    if (gate.isPresent() && !gate.get().shut(DRAIN)) {
      LOG.warn("volume {}: closes with requests in flight", volume);
    }
    hold.ifPresent(GatedDevice.Hold::close);
    hold = Optional.empty();
    gate = Optional.empty();
    closeVolume();
  }

  /**
   * Withdraws an export whose requests wait at the gate: they can only end when the gate refuses
   * them, and by then their connections should be cut, so that no client takes that for an error of
   * the disk.
   */
  private void withdrawHeld() {
    CompletableFuture<Void> withdrawal = CompletableFuture.runAsync(this::withdraw, threads);
    try {
      withdrawal.get(WITHDRAWAL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.debug("volume {}: refuses the requests that wait", volume);
    } catch (ExecutionException e) {
      LOG.error("volume {}: its export is not withdrawn", volume, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    gate.ifPresent(g -> g.shut(Duration.ZERO));
    withdrawal.exceptionally(failure -> null).join();
  }

  private void closeVolume() {
    snapshots.hideAll();
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
}
