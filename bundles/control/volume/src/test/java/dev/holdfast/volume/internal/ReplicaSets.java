package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.RebuildState;
import dev.holdfast.resource.volume.RebuildStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.ReplicaStatus;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Builder of a volume that is attached to n1, with replicas r1, r2, … on n1, n2, …. */
final class ReplicaSets {
  static final Instant NOW = Instant.parse("2026-01-10T00:00:00Z");
  static final Instant LONG_AGO = NOW.minus(Duration.ofDays(1));
  private static final Quantity SIZE = Quantity.parse("1Gi");

  private final Map<String, Replica> replicas = new TreeMap<>();
  private final Map<String, ReplicaMode> modes = new TreeMap<>();
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Map<String, Integer> rebuilds = new TreeMap<>();
  private VolumeSettings settings = VolumeSettings.DEFAULT;
  private SnapshotSummary snapshots = SnapshotSummary.whole(0);
  private VolumeSpec spec;
  private VolumeStatus status;
  private EngineSpec engineSpec =
      EngineSpec.EMPTY
          .withVolume("v")
          .withSize(SIZE)
          .withNodeID("n1")
          .withDesireState(DesireState.RUNNING);
  private EngineStatus engineStatus =
      EngineStatus.EMPTY
          .withNodeID("n1")
          .withCurrentState(InstanceState.RUNNING)
          .withEndpoint("nbd://n1/v")
          .withCurrentSize(SIZE);

  private ReplicaSets(int wanted) {
    Volume volume = Cluster.volume("v");
    spec = volume.spec().withNumberOfReplicas(wanted).withNodeID("n1");
    status =
        volume
            .status()
            .withState(VolumeState.ATTACHED)
            .withRobustness(Robustness.HEALTHY)
            .withCurrentNodeID("n1")
            .withCurrentSize(SIZE);
  }

  /**
   * Returns a volume with replicas in these modes, on three nodes whose engine has all
   * capabilities.
   */
  static ReplicaSets of(int wanted, String... modes) {
    ReplicaSets set = new ReplicaSets(wanted);
    for (int i = 1; i <= Math.max(3, modes.length); i++) {
      set.nodes.put("n" + i, Cluster.capable(Cluster.node("n" + i, 2)));
    }
    for (int i = 1; i <= modes.length; i++) {
      set.add("r" + i, "n" + i, modes[i - 1]);
    }
    return set;
  }

  /** Adds a replica: current, rebuilding, just removed, or never current. */
  private void add(String name, String node, String mode) {
    ReplicaSpec made =
        ReplicaSpec.EMPTY
            .withVolume("v")
            .withSize(SIZE)
            .withNodeID(node)
            .withDiskID("disk-1")
            .withDataDirectoryName(name)
            .withDesireState(DesireState.RUNNING);
    ReplicaSpec healthy =
        made.withHealthyAt(Optional.of(LONG_AGO)).withLastHealthyAt(Optional.of(LONG_AGO));
    Replica replica =
        Replica.of(name, mode.equals("NEW") ? made : healthy)
            .withStatus(
                ReplicaStatus.EMPTY.withProvisioned(true).withCurrentState(InstanceState.RUNNING));
    replicas.put(
        name,
        replica.withMetadata(
            replica
                .metadata()
                .plusFinalizer(Replica.FINALIZER)
                .withCreationTimestamp(Optional.of(LONG_AGO))));
    if (mode.equals("FAILED")) {
      failed(name, NOW.minusSeconds(5), 0);
    } else {
      modes.put(name, mode.equals("NEW") ? ReplicaMode.ERR : ReplicaMode.valueOf(mode));
    }
  }

  ReplicaSets with(String replica, UnaryOperator<ReplicaSpec> change) {
    replicas.computeIfPresent(replica, (name, r) -> r.withSpec(change.apply(r.spec())));
    return this;
  }

  ReplicaSets failed(String replica, Instant when, int retries) {
    modes.remove(replica);
    return with(
        replica,
        s ->
            s.withDesireState(DesireState.STOPPED)
                .withFailedAt(Optional.of(when))
                .withLastFailedAt(Optional.of(when))
                .withRebuildRetryCount(retries));
  }

  ReplicaSets deleting(String replica) {
    deletedByUser(replica);
    replicas.computeIfPresent(replica, (name, r) -> r.disposable());
    modes.remove(replica);
    return this;
  }

  /** Releases a replica for removal, which its node reports as impossible. */
  ReplicaSets removalBlocked(String replica, String reason) {
    deleting(replica);
    replicas.computeIfPresent(
        replica,
        (name, r) ->
            r.withStatus(
                r.status()
                    .withConditions(
                        Condition.with(
                            List.of(),
                            Condition.DELETING,
                            Condition.Status.FALSE,
                            reason,
                            "",
                            NOW))));
    return this;
  }

  /** Marks replicas as deleted with kubectl. */
  ReplicaSets deletedByUser(String... names) {
    for (String replica : names) {
      replicas.computeIfPresent(
          replica,
          (name, r) -> r.withMetadata(r.metadata().withDeletionTimestamp(Optional.of(NOW))));
    }
    return this;
  }

  ReplicaSets stopped(String replica) {
    replicas.computeIfPresent(
        replica, (name, r) -> r.withStatus(r.status().withCurrentState(InstanceState.STOPPED)));
    return with(replica, s -> s.withDesireState(DesireState.STOPPED));
  }

  ReplicaSets unprovisioned(String replica, Instant created) {
    replicas.computeIfPresent(
        replica,
        (name, r) ->
            r.withStatus(r.status().withProvisioned(false))
                .withMetadata(r.metadata().withCreationTimestamp(Optional.of(created))));
    return this;
  }

  /** Reports that the directory of a replica is gone. */
  ReplicaSets lost(String replica) {
    replicas.computeIfPresent(
        replica,
        (name, r) ->
            r.withStatus(
                r.status()
                    .withProvisioned(false)
                    .withConditions(
                        Condition.with(
                            List.of(),
                            "Provisioned",
                            Condition.Status.FALSE,
                            "DataMissing",
                            "replica " + name + " is gone",
                            NOW))));
    return this;
  }

  ReplicaSets at(String replica, String node, String disk) {
    return with(replica, s -> s.withNodeID(node).withDiskID(disk));
  }

  ReplicaSets node(String name, UnaryOperator<Node> change) {
    nodes.computeIfPresent(name, (n, node) -> change.apply(node));
    return this;
  }

  ReplicaSets silent(String node) {
    return node(node, n -> n.withStatus(n.status().withConditions(List.of())));
  }

  ReplicaSets gone(String node) {
    nodes.remove(node);
    return this;
  }

  ReplicaSets evicted(String node) {
    return node(node, n -> n.withSpec(n.spec().withEvictionRequested(true)));
  }

  ReplicaSets evicted(String node, String disk) {
    return node(
        node,
        n -> {
          Map<String, DiskSpec> disks = new LinkedHashMap<>(n.spec().disks());
          disks.computeIfPresent(disk, (id, d) -> d.withEvictionRequested(true));
          return n.withSpec(n.spec().withDisks(disks));
        });
  }

  ReplicaSets capabilities(String... capabilities) {
    nodes.replaceAll(
        (name, node) ->
            node.withStatus(
                node.status().withEngineCapabilities(Map.of("sparse", List.of(capabilities)))));
    return this;
  }

  ReplicaSets spec(UnaryOperator<VolumeSpec> change) {
    spec = change.apply(spec);
    return this;
  }

  ReplicaSets status(UnaryOperator<VolumeStatus> change) {
    status = change.apply(status);
    return this;
  }

  ReplicaSets engine(UnaryOperator<EngineSpec> change) {
    engineSpec = change.apply(engineSpec);
    return this;
  }

  ReplicaSets observed(UnaryOperator<EngineStatus> change) {
    engineStatus = change.apply(engineStatus);
    return this;
  }

  ReplicaSets snapshots(long count, String... damaged) {
    snapshots = new SnapshotSummary(count, List.of(damaged));
    return this;
  }

  ReplicaSets settings(VolumeSettings changed) {
    settings = changed;
    return this;
  }

  ReplicaSets rebuildsElsewhere(String node, int count) {
    rebuilds.put(node, count);
    return this;
  }

  /**
   * Requests the rebuild of a replica, with the state that the node reports; empty for no report.
   */
  ReplicaSets rebuilding(String replica, Optional<RebuildState> state) {
    engineSpec = engineSpec.withRebuildReplica(replica).withRebuildAttempt(7);
    state.ifPresent(
        s ->
            engineStatus =
                engineStatus.withRebuildStatus(
                    Map.of(
                        replica, new RebuildStatus(7, s, 0, Quantity.ZERO, Quantity.ZERO, "why"))));
    return this;
  }

  VolumeView view() {
    Volume volume = Cluster.volume("v").withSpec(spec).withStatus(status);
    Engine engine =
        Engine.of("v-e-0", engineSpec).withStatus(engineStatus.withReplicaModeMap(modes));
    List<Replica> all = new ArrayList<>(replicas.values());
    return new VolumeView(
        volume,
        Optional.of(engine),
        all,
        Optional.empty(),
        NodeInventory.of(List.copyOf(nodes.values())),
        all,
        rebuilds,
        snapshots,
        settings,
        NOW);
  }

  VolumePlan plan() {
    return new VolumePlanner().next(view());
  }
}
