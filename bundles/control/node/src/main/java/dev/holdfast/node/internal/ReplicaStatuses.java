package dev.holdfast.node.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Computes the status of a replica from the findings. */
final class ReplicaStatuses {
  static final String READY = Condition.READY;
  static final String DELETING = Condition.DELETING;

  private ReplicaStatuses() {}

  static ReplicaStatus of(
      Replica replica, ReplicaInspection finding, Optional<Engine> engine, Instant now) {
    ReplicaStatus earlier = replica.status();
    boolean provisioned =
        finding.fault().isEmpty() || (earlier.provisioned() && !finding.missing());
    Optional<ReplicaMode> used = engine.map(e -> e.status().replicaModeMap().get(replica.name()));
    return new ReplicaStatus(
        state(replica, finding, engine.map(Engine::status), used),
        provisioned,
        used.orElse(earlier.mode()),
        finding.usedBytes().map(Quantity::new).orElse(earlier.actualSize()),
        conditions(earlier, finding, provisioned, now),
        finding.link().orElse(earlier.link()),
        earlier.ownerID());
  }

  /** Returns the status of a replica that a user deleted while its volume needs it. */
  static ReplicaStatus kept(Replica replica, ReplicaStatus status, Instant now) {
    String volume = replica.spec().volume();
    return status.withConditions(
        Condition.with(
            status.conditions(),
            DELETING,
            Condition.Status.FALSE,
            Replica.VOLUME_NEEDS_REPLICA_REASON,
            "volume "
                + volume
                + " keeps replica "
                + replica.name()
                + " until another current replica replaces it; 'holdfast volume why "
                + volume
                + "' says what that waits for",
            now));
  }

  private static InstanceState state(
      Replica replica,
      ReplicaInspection finding,
      Optional<EngineStatus> engine,
      Optional<ReplicaMode> used) {
    boolean open = engine.filter(e -> e.currentState() != InstanceState.STOPPED).isPresent();
    return switch (replica.spec().desireState()) {
      case STOPPED -> open && used.isPresent() ? InstanceState.STOPPING : InstanceState.STOPPED;
      case RUNNING -> {
        boolean givenUp = open && used.filter(mode -> mode == ReplicaMode.ERR).isPresent();
        boolean unusable = givenUp || (finding.fault().isPresent() && replica.wasProvisioned());
        if (unusable) {
          yield InstanceState.ERROR;
        }
        yield finding.fault().isPresent() ? InstanceState.STARTING : InstanceState.RUNNING;
      }
    };
  }

  private static List<Condition> conditions(
      ReplicaStatus earlier, ReplicaInspection finding, boolean provisioned, Instant now) {
    String reason = finding.fault().map(DiskProbe.Fault::reason).orElse("");
    // The loss of the data must remain recorded while the disk is absent too.
    boolean lost =
        Condition.find(earlier.conditions(), Replica.PROVISIONED_CONDITION)
            .filter(condition -> condition.reason().equals(Replica.DATA_MISSING_REASON))
            .isPresent();
    String message = finding.fault().map(DiskProbe.Fault::message).orElse("");
    List<Condition> conditions =
        Condition.with(
            earlier.conditions(),
            Replica.PROVISIONED_CONDITION,
            provisioned ? Condition.Status.TRUE : Condition.Status.FALSE,
            provisioned
                ? Replica.PROVISIONED_CONDITION
                : lost ? Replica.DATA_MISSING_REASON : reason,
            provisioned ? "" : message,
            now);
    boolean ready = finding.fault().isEmpty();
    return Condition.with(
        conditions,
        READY,
        ready ? Condition.Status.TRUE : Condition.Status.FALSE,
        ready ? READY : reason,
        message,
        now);
  }
}
