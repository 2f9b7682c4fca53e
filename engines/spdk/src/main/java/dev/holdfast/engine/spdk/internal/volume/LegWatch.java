package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.spdk.internal.replica.LegHost;
import dev.holdfast.engine.spdk.internal.replica.LegShown;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Heartbeat of the legs on other nodes. SPDK does not notice a silent peer, and requests wait for
 * it, so this decides when a leg is given up: after its node did not show it for a time without a
 * break. A leg whose target was restarted is shown again and stays. Thread-safe.
 */
final class LegWatch {
  private final RemoteLegs remote;
  private final Duration patience;
  private final LongSupplier clock;
  private final Map<String, Long> since = new ConcurrentHashMap<>();

  /**
   * Creates a watch.
   *
   * @param patience how long a leg may be away
   * @param clock nanoseconds that never go back
   */
  LegWatch(RemoteLegs remote, Duration patience, LongSupplier clock) {
    this.remote = remote;
    this.patience = patience;
    this.clock = clock;
  }

  /**
   * Looks at a leg.
   *
   * @return why it is not shown, empty when it is
   * @throws StorageException FORBIDDEN when a later opening took the replica; as a call of the
   *     target of this node, whose failure says nothing about the leg
   */
  Optional<StorageException> problem(ReplicaLeg leg) throws StorageException {
    long begun = clock.getAsLong();
    String head = leg.record().head();
    LegHost host = remote.host(leg, head);
    try {
      LegShown unused = leg.expose(head, host);
      since.remove(leg.identity());
      return Optional.empty();
    } catch (StorageException e) {
      if (e.code() == ErrorCode.FORBIDDEN) {
        throw e;
      }
      since.putIfAbsent(leg.identity(), begun);
      return Optional.of(e);
    }
  }

  /** Looks at legs and returns whether one has been away for too long. */
  boolean isOverdue(List<ReplicaLeg> legs) throws StorageException {
    boolean overdue = false;
    for (ReplicaLeg leg : legs) {
      overdue |= problem(leg).isPresent() && isOverdue(leg);
    }
    return overdue;
  }

  /** Returns whether a leg has been away for too long. */
  boolean isOverdue(ReplicaLeg leg) {
    Long first = since.get(leg.identity());
    return first != null && clock.getAsLong() - first >= patience.toNanos();
  }
}
