package dev.holdfast.sharing.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The leases of nodes that can serve shares. They show a failed node sooner than the lease of the
 * node does. They exist while the cluster has shares.
 */
final class ShareLeases {
  /** Time after which a node that does not renew its lease counts as silent. */
  static final Duration DURATION = Duration.ofSeconds(7);

  /** Period at which a node renews its lease. */
  static final Duration PERIOD = Duration.ofSeconds(3);

  private static final String PREFIX = "shares-";

  private final Stopwatches watches = new Stopwatches();

  static String nameOf(String node) {
    return PREFIX + node;
  }

  /** Renews this node's lease. */
  static void renew(ReconcileContext context) throws StorageException {
    Instant now = context.clock().instant();
    String name = nameOf(context.nodeName());
    Optional<Lease> present = context.store().get(Lease.KIND, name);
    LeaseSpec spec =
        new LeaseSpec(
            context.nodeName(),
            (int) DURATION.toSeconds(),
            present.flatMap(lease -> lease.spec().acquireTime()).or(() -> Optional.of(now)),
            Optional.of(now),
            0);
    if (present.isPresent()) {
      context.store().update(present.get().withSpec(spec));
    } else {
      context.store().create(Lease.of(name, spec));
    }
  }

  /**
   * Returns whether a node with a lease has not renewed it for its duration, by the local clock.
   */
  boolean isSilent(String node, ReconcileContext context) {
    Optional<Instant> renewed =
        context.get(Lease.KIND, nameOf(node)).flatMap(lease -> lease.spec().renewTime());
    return renewed.isPresent()
        && watches.since(node, renewed.get(), context.clock().instant()).compareTo(DURATION) > 0;
  }
}
