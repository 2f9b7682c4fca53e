package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.VolumeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Times of attempts to reopen a volume whose replicas all failed. An attempt is safe, because the
 * opening verifies that a current replica is available. The first pause lasts 30 s. It increases
 * with each failure until recovery, up to 5 min. A longer pause ends when a node with a replica
 * becomes ready.
 */
final class FaultRetry {
  /** Condition that is false from the first fault until the volume is in use again. */
  static final String RECOVERED = "Recovered";

  static final Duration SHORTEST = Duration.ofSeconds(30);
  static final Duration LONGEST = Duration.ofMinutes(5);

  private FaultRetry() {}

  /** Returns whether a volume has faulted, has not recovered, and is still wanted by its users. */
  static boolean isPending(VolumeView view, Robustness robustness) {
    boolean wanted =
        view.attachment().filter(a -> !a.spec().attachmentTickets().isEmpty()).isPresent();
    return switch (robustness) {
      case FAULTED -> true;
      case UNKNOWN -> wanted && since(view.volume().status(), RECOVERED).isPresent();
      case HEALTHY, DEGRADED -> false;
    };
  }

  /**
   * Returns the remaining wait; empty if an attempt is due, also if the fault was recorded by a
   * clock ahead of this one.
   */
  static Optional<Duration> left(VolumeStatus status, Instant now) {
    Optional<Instant> fault = since(status, VolumeConditions.FAULTED);
    if (fault.isEmpty()) {
      return Optional.empty();
    }
    Duration elapsed = Duration.between(fault.get(), now);
    if (elapsed.isNegative()) {
      return Optional.empty();
    }
    Duration next = elapsed.compareTo(SHORTEST) < 0 ? SHORTEST : pause(status, fault.get());
    return Optional.of(next.minus(elapsed)).filter(left -> !left.isNegative() && !left.isZero());
  }

  /** Returns whether an attempt is due. */
  static boolean isDue(VolumeView view) {
    VolumeStatus status = view.volume().status();
    if (left(status, view.now()).isEmpty()) {
      return true;
    }
    Optional<Instant> fault = since(status, VolumeConditions.FAULTED);
    return fault.filter(at -> !view.now().isBefore(at.plus(SHORTEST))).isPresent()
        && view.replicas().stream()
            .flatMap(replica -> nodesOf(replica, view))
            .flatMap(node -> Condition.find(node.status().conditions(), Condition.READY).stream())
            .filter(ready -> ready.status() == Condition.Status.TRUE)
            .anyMatch(ready -> ready.lastTransitionTime().isAfter(fault.get()));
  }

  private static Stream<Node> nodesOf(Replica replica, VolumeView view) {
    return replica.isOnSharedDisk()
        ? view.nodes().seeing(replica).stream()
        : view.nodes().find(replica.spec().nodeID()).stream();
  }

  /**
   * Returns the pause: the time without success before the last fault, so that each pause doubles
   * that time.
   */
  private static Duration pause(VolumeStatus status, Instant fault) {
    Duration lasted =
        since(status, RECOVERED).map(first -> Duration.between(first, fault)).orElse(SHORTEST);
    if (lasted.compareTo(SHORTEST) < 0) {
      return SHORTEST;
    }
    return lasted.compareTo(LONGEST) < 0 ? lasted : LONGEST;
  }

  private static Optional<Instant> since(VolumeStatus status, String type) {
    Condition.Status bad = type.equals(RECOVERED) ? Condition.Status.FALSE : Condition.Status.TRUE;
    return Condition.find(status.conditions(), type)
        .filter(condition -> condition.status() == bad)
        .map(Condition::lastTransitionTime);
  }
}
