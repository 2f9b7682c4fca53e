package dev.holdfast.volume.internal;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.VolumeReplica;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Computes the status of a volume from the observation. */
final class VolumeStatuses {
  private VolumeStatuses() {}

  static VolumeStatus of(
      VolumeView view,
      VolumeStateTable.Row row,
      VolumeStateTable.Parts parts,
      Placement placement,
      ReplicaDecision decision) {
    VolumeStatus earlier = view.volume().status();
    Robustness robustness = robustness(view, row, parts);
    Expansion growth = new Expansion(view);
    return earlier
        .withState(row.state())
        .withRobustness(robustness)
        .withCurrentNodeID(row.currentNodeID())
        .withActiveEngine(view.activeEngine())
        .withEndpoint(endpoint(view, row))
        .withCurrentMigrationNodeID(Migration.joined(view, row))
        .withMigrationEndpoint(Migration.endpoint(view, Migration.joined(view, row)))
        .withServingEndpoints(Migration.servingEndpoints(view, row))
        .withActualSize(actualSize(view).orElse(earlier.actualSize()))
        .withReplicas(replicas(view))
        .withConditions(VolumeConditions.of(view, row, placement, decision, robustness))
        .withObservedGeneration(view.volume().metadata().generation())
        .withCurrentSize(growth.achieved())
        .withExpansionRequired(growth.isRequired())
        .withLastDegradedAt(lastDegradedAt(earlier, robustness, view.now()));
  }

  private static Optional<Instant> lastDegradedAt(
      VolumeStatus earlier, Robustness robustness, Instant now) {
    return switch (robustness) {
      case HEALTHY -> Optional.empty();
      case DEGRADED ->
          earlier.lastDegradedAt().or(() -> Optional.of(now.truncatedTo(ChronoUnit.SECONDS)));
      case FAULTED, UNKNOWN -> earlier.lastDegradedAt();
    };
  }

  /** Returns the endpoint, because an engine with a new spec still serves. */
  private static String endpoint(VolumeView view, VolumeStateTable.Row row) {
    boolean serves = row.state() == VolumeState.ATTACHED && isServed(view, row.currentNodeID());
    return serves ? view.engine().map(e -> e.status().endpoint()).orElse("") : "";
  }

  private static boolean isServed(VolumeView view, String node) {
    VolumeStatus earlier = view.volume().status();
    boolean before =
        earlier.state() == VolumeState.ATTACHED && earlier.currentNodeID().equals(node);
    return before
        ? view.engine()
            .filter(e -> e.spec().desireState() == DesireState.RUNNING)
            .filter(e -> e.spec().nodeID().equals(node) && e.status().nodeID().equals(node))
            .filter(e -> e.status().currentState() == InstanceState.RUNNING)
            .isPresent()
        : VolumeObserver.runsOn(view, node);
  }

  private static Optional<Quantity> actualSize(VolumeView view) {
    return view.replicas().stream()
        .map(replica -> replica.status().actualSize())
        .max(Comparator.naturalOrder());
  }

  private static List<VolumeReplica> replicas(VolumeView view) {
    return view.replicas().stream()
        .sorted(Comparator.comparing(Replica::name))
        .map(
            replica ->
                new VolumeReplica(
                    replica.name(),
                    replica.spec().nodeID(),
                    replica.spec().diskID(),
                    mode(replica, view),
                    replica.spec().diskUUID()))
        .toList();
  }

  private static ReplicaMode mode(Replica replica, VolumeView view) {
    if (replica.spec().failedAt().isPresent()) {
      return ReplicaMode.ERR;
    }
    return view.engine()
        .filter(e -> e.status().currentState() == InstanceState.RUNNING)
        .map(e -> e.status().replicaModeMap().getOrDefault(replica.name(), ReplicaMode.ERR))
        .orElse(replica.status().mode());
  }

  private static Robustness robustness(
      VolumeView view, VolumeStateTable.Row row, VolumeStateTable.Parts parts) {
    if (row.state() == VolumeState.CREATING) {
      return Robustness.UNKNOWN;
    }
    if (view.usableCopies().isEmpty() && !view.replicas().isEmpty()) {
      return Robustness.FAULTED;
    }
    return switch (row.goal()) {
      case MAKE -> Robustness.UNKNOWN;
      case OPEN -> open(view, row);
      case CLOSE -> stillFaulted(view, parts) ? Robustness.FAULTED : Robustness.UNKNOWN;
    };
  }

  /**
   * Returns the robustness of an open volume. An engine that is reopened in place does not report
   * its replicas yet. An engine that has not processed a new spec reports its earlier state.
   */
  private static Robustness open(VolumeView view, VolumeStateTable.Row row) {
    Optional<EngineStatus> engine =
        view.engine().filter(VolumeObserver::isInSync).map(Engine::status);
    if (row.state() != VolumeState.ATTACHED) {
      return Robustness.UNKNOWN;
    }
    if (engine.isEmpty()) {
      return isServed(view, row.currentNodeID())
          ? view.volume().status().robustness()
          : Robustness.UNKNOWN;
    }
    Map<String, ReplicaMode> modes = engine.get().replicaModeMap();
    long current =
        view.usableCopies().stream().filter(r -> modes.get(r.name()) == ReplicaMode.RW).count();
    return switch (engine.get().currentState()) {
      case RUNNING, ERROR -> {
        if (modes.isEmpty()) {
          yield Robustness.UNKNOWN;
        }
        if (current == 0) {
          yield Robustness.FAULTED;
        }
        if (engine.get().currentState() == InstanceState.ERROR) {
          yield Robustness.UNKNOWN;
        }
        yield current >= view.wantedCopies() ? Robustness.HEALTHY : Robustness.DEGRADED;
      }
      case STOPPED, STARTING, STOPPING, UNKNOWN -> Robustness.UNKNOWN;
    };
  }

  private static boolean stillFaulted(VolumeView view, VolumeStateTable.Parts parts) {
    boolean faulted = view.volume().status().robustness() == Robustness.FAULTED;
    return faulted && !(parts.closed() && FaultRetry.isDue(view));
  }
}
