package dev.holdfast.controller.runtime;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes part in the election for one lease, by compare-and-set. Clocks of nodes need not agree: a
 * lease has expired when its record did not change for its duration by this node's monotonic time,
 * whatever times the record contains. A holder that cannot renew gives up before another node may
 * take over. Thread-safe.
 */
final class LeaseElector {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseElector.class);

  private final String leaseName;
  private final String identity;
  private final ResourceStore store;
  private final Clock clock;
  private final TaskExecutor tasks;
  private final RuntimeSettings settings;
  private final Listener listener;
  private LeaseSpec observed = LeaseSpec.EMPTY;
  private long observedAt;
  private long renewedAt;
  private boolean holding;
  private boolean closed;
  private Optional<TaskExecutor.Cancellable> timer = Optional.empty();

  /** Receives the outcome of the election, in order, never the same outcome twice. */
  interface Listener {
    /** Called when this node starts or stops holding the lease. */
    void holding(boolean holding);
  }

  LeaseElector(
      String leaseName,
      String identity,
      ResourceStore store,
      Clock clock,
      TaskExecutor tasks,
      RuntimeSettings settings,
      Listener listener) {
    this.leaseName = leaseName;
    this.identity = identity;
    this.store = store;
    this.clock = clock;
    this.tasks = tasks;
    this.settings = settings;
    this.listener = listener;
  }

  void start() {
    tasks.execute(this::round);
  }

  /** Leaves the election and releases the lease, so that another node need not wait. */
  void close() {
    boolean held;
    synchronized (this) {
      held = holding;
      holding = false;
      closed = true;
      timer.ifPresent(TaskExecutor.Cancellable::cancel);
    }
    if (held) {
      release();
    }
  }

  private void release() {
    try {
      Optional<Lease> lease = store.get(Lease.KIND, leaseName);
      if (lease.isPresent() && lease.get().spec().holderIdentity().equals(identity)) {
        store.update(lease.get().withSpec(lease.get().spec().withHolderIdentity("")));
      }
    } catch (StorageException e) {
      LOG.debug(
          "lease {}: could not release it, other nodes wait until it expires: {}",
          leaseName,
          e.getMessage());
    }
  }

  private void round() {
    try {
      if (isClosed()) {
        return;
      }
      outcome(renewOrAcquire());
    } catch (StorageException e) {
      LOG.debug("lease {}: {}", leaseName, e.getMessage());
      outcome(stillSafe());
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private boolean renewOrAcquire() throws StorageException {
    long began = tasks.nanoTime();
    Optional<Lease> lease = store.get(Lease.KIND, leaseName);
    if (lease.isEmpty()) {
      store.create(Lease.of(leaseName, heldSince(clock.instant(), 0)));
    } else {
      LeaseSpec spec = lease.get().spec();
      if (!spec.holderIdentity().equals(identity) && !isFree(spec, began)) {
        return false;
      }
      store.update(lease.get().withSpec(next(spec)));
    }
    synchronized (this) {
      renewedAt = began;
    }
    return true;
  }

  private LeaseSpec next(LeaseSpec spec) {
    boolean mine = spec.holderIdentity().equals(identity);
    Instant now = clock.instant();
    LeaseSpec held = heldSince(now, spec.leaseTransitions() + (mine ? 0 : 1));
    return mine ? held.withAcquireTime(spec.acquireTime()) : held;
  }

  private LeaseSpec heldSince(Instant now, int transitions) {
    return new LeaseSpec(
        identity,
        (int) settings.leaseDuration().toSeconds(),
        Optional.of(now),
        Optional.of(now),
        transitions);
  }

  private synchronized boolean isFree(LeaseSpec spec, long now) {
    if (!spec.equals(observed)) {
      observed = spec;
      observedAt = now;
    }
    return spec.holderIdentity().isEmpty()
        || now - observedAt >= Duration.ofSeconds(spec.leaseDurationSeconds()).toNanos();
  }

  /**
   * Returns whether this node still holds the lease after a failed call: until another node could
   * have observed its expiry.
   */
  private synchronized boolean stillSafe() {
    long spare = settings.leaseRenewal().toNanos();
    return holding && tasks.nanoTime() - renewedAt < settings.leaseDuration().toNanos() - spare;
  }

  private void outcome(boolean holds) {
    boolean changed;
    synchronized (this) {
      if (closed) {
        return;
      }
      changed = holds != holding;
      holding = holds;
      timer = Optional.of(tasks.schedule(this::round, settings.leaseRenewal()));
    }
    if (changed) {
      LOG.info("lease {}: {}", leaseName, holds ? "held by this node" : "lost");
      listener.holding(holds);
    }
  }

  /** Returns the name of the lease for the name of a reconciler. */
  static String nameFor(String reconciler) {
    return "reconciler-"
        + reconciler.toLowerCase(java.util.Locale.ROOT).replaceAll("[^a-z0-9.-]", "-");
  }
}
