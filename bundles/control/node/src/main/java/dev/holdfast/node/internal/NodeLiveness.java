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

  /** How long a node may go without its first lease. */
  static final Duration WITHOUT_LEASE = Duration.ofSeconds(40);

  private final Map<String, Heard> heard = new ConcurrentHashMap<>();

  /**
   * A lease as it was when it last changed.
   *
   * @param renewTime the lease's, empty when there is none
   * @param at when we saw it first
   */
  record Heard(Optional<Instant> renewTime, Instant at) {}

  /** Returns whether a node is alive. A node that is seen for the first time is alive. */
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

  /** The rule: a lease that did not change for longer than its duration is stale. */
  static boolean fresh(Heard last, Duration allowed, Instant now) {
    return !last.at().plus(allowed).isBefore(now);
  }

  /** Forgets a node that is gone. */
  void forget(String node) {
    heard.remove(node);
  }
}
