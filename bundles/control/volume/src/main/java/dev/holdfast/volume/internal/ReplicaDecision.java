package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.Replica;
import java.time.Duration;
import java.util.Optional;

/**
 * The next step of a volume's set of replicas: at most one replica is added, revived or removed.
 *
 * @param orders commands for the engine
 * @param place place of a new replica; empty if none is added
 * @param revived a removed replica to rebuild
 * @param deleted a replica to delete with its data
 * @param again time of the next check without a change
 * @param waits why the number of replicas is wrong, for users; empty if it is right
 */
record ReplicaDecision(
    EngineCommands orders,
    Placement place,
    Optional<Replica> revived,
    Optional<Replica> deleted,
    Optional<Duration> again,
    Optional<Reason> waits) {

  /** Reason of a step that is not taken. */
  record Reason(String reason, String message) {}

  static ReplicaDecision keep(EngineCommands orders) {
    return new ReplicaDecision(
        orders,
        Placement.NONE,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  static ReplicaDecision waits(EngineCommands orders, String reason, String message) {
    return keep(orders).because(reason, message);
  }

  ReplicaDecision making(Placement where) {
    return new ReplicaDecision(orders, where, revived, deleted, again, waits);
  }

  ReplicaDecision reviving(Replica replica) {
    return new ReplicaDecision(
        orders.rebuilding(replica.name()), place, Optional.of(replica), deleted, again, waits);
  }

  ReplicaDecision deleting(Replica replica) {
    return new ReplicaDecision(orders, place, revived, Optional.of(replica), again, waits);
  }

  ReplicaDecision lookingAgainAfter(Duration time) {
    Optional<Duration> sooner = again.filter(other -> other.compareTo(time) < 0);
    return new ReplicaDecision(
        orders, place, revived, deleted, sooner.or(() -> Optional.of(time)), waits);
  }

  ReplicaDecision because(String reason, String message) {
    return new ReplicaDecision(
        orders, place, revived, deleted, again, Optional.of(new Reason(reason, message)));
  }
}
