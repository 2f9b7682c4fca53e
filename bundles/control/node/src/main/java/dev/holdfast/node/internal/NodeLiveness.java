package dev.holdfast.node.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.cluster.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides whether nodes are alive. The time in a lease comes from another machine's clock, so only
 * the time since its last change counts, measured by this node's clock.
 */
final class NodeLiveness {
  static final String READY = Condition.READY;

  /** Time for which a node without a lease counts as alive. */
  static final Duration WITHOUT_LEASE = Duration.ofSeconds(40);

  private final Map<String, Heard> heard = new ConcurrentHashMap<>();

  /**
   * The last observed change of a lease.
   *
   * @param renewTime renew time of the lease, empty without a lease
   * @param at time of the first observation
   */
  record Heard(Optional<Instant> renewTime, Instant at) {}

  /** Returns whether a node is alive. A newly observed node is alive. */
  boolean alive(String node, Optional<Lease> lease, Instant now) {
    Optional<Instant> renewed = lease.flatMap(l -> l.spec().renewTime());
    Heard last =
        heard.merge(
            node,
            new Heard(renewed, now),
            (earlier, later) -> earlier.renewTime().equals(later.renewTime()) ? earlier : later);
    Duration allowed =
        lease.map(l -> Duration.ofSeconds(l.spec().leaseDurationSeconds())).orElse(WITHOUT_LEASE);
    return fresh(last, allowed, now);
  }

  /**
   * Returns whether a lease is fresh. A lease without a change for longer than its duration is
   * stale.
   */
  static boolean fresh(Heard last, Duration allowed, Instant now) {
    return !last.at().plus(allowed).isBefore(now);
  }

  /** Removes a deleted node. */
  void forget(String node) {
    heard.remove(node);
  }
}
