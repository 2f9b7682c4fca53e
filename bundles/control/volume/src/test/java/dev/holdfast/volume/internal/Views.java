package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.LinkState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaLink;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.ReplicaStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Builder of the planner's view of a volume with three replicas on n1, n2 and n3. */
final class Views {
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final long GENERATION = 7;

  private final Set<String> unready;
  private final List<Replica> replicas = new ArrayList<>();
  private Volume volume = Cluster.volume("v");
  private Optional<Engine> engine = Optional.empty();
  private Optional<VolumeAttachment> attachment = Optional.empty();

  private Views(Set<String> unready) {
    this.unready = unready;
  }

  /** Returns a volume that was just created. */
  static Views fresh() {
    return new Views(Set.of());
  }

  /** Returns a volume whose parts exist, with nodes that are not ready. */
  static Views made(VolumeState state, String wanted, String current, String... unready) {
    Views views = new Views(Set.of(unready));
    views.volume =
        views
            .volume
            .withSpec(views.volume.spec().withNodeID(wanted))
            .withStatus(views.volume.status().withState(state).withCurrentNodeID(current));
    views.attachment =
        Optional.of(VolumeAttachment.of("v", new VolumeAttachmentSpec("v", Map.of())));
    return views.replicas("STOPPED", "STOPPED", "STOPPED").engine("STOPPED", "", "STOPPED");
  }

  Views deleted() {
    volume =
        volume.withMetadata(volume.metadata().withDeletionTimestamp(Optional.of(Instant.EPOCH)));
    return this;
  }

  Views deletedWhenDetached() {
    volume = volume.withSpec(volume.spec().withDeleteWhenDetached(true));
    return this;
  }

  /** Applies the writes of an earlier plan. */
  Views after(VolumePlan plan) {
    volume = volume.withStatus(plan.status());
    return this;
  }

  Views ticket(String id, String type) {
    AttachmentTicket ticket = AttachmentTicket.of(id, type, "", Map.of(), 1);
    VolumeAttachmentSpec spec = new VolumeAttachmentSpec("v", Map.of(id, ticket));
    attachment = Optional.of(VolumeAttachment.of("v", spec));
    return this;
  }

  /** Sets that a copy in use still reads from the volume. */
  Views neededByACopy() {
    volume = volume.withMetadata(volume.metadata().plusFinalizer(CloneSource.NEEDED_FINALIZER));
    return this;
  }

  /** Sets volume "from" as the source of the first content. */
  Views copyOf(CloneMethod method, String snapshotUID) {
    CloneStatus copying =
        CloneStatus.EMPTY
            .withState(CloneState.INITIATED)
            .withMethod(method)
            .withSnapshotUID(snapshotUID);
    volume =
        volume
            .withSpec(volume.spec().withCloneSource(Optional.of(new CloneSource("from", ""))))
            .withStatus(volume.status().withCloneStatus(copying));
    return this;
  }

  Views linked(int index, String snapshotUID) {
    Replica replica = replicas.get(index);
    ReplicaLink link = new ReplicaLink(snapshotUID, LinkState.LINKED, "");
    replicas.set(index, replica.withStatus(replica.status().withLink(link)));
    return this;
  }

  Views withoutFrontend() {
    volume = volume.withSpec(volume.spec().withDisableFrontend(true));
    return this;
  }

  /**
   * Sets the states of the replicas on n1, n2, .... A running replica also has a request to run.
   */
  Views replicas(String... states) {
    replicas.clear();
    for (int i = 1; i <= states.length; i++) {
      InstanceState state = InstanceState.valueOf(states[i - 1]);
      DesireState desired =
          state == InstanceState.RUNNING ? DesireState.RUNNING : DesireState.STOPPED;
      replicas.add(
          Replica.of(
                  "r" + i,
                  ReplicaSpec.EMPTY
                      .withVolume("v")
                      .withNodeID("n" + i)
                      .withDiskID("disk-1")
                      .withDesireState(desired))
              .withStatus(ReplicaStatus.EMPTY.withCurrentState(state).withProvisioned(true)));
    }
    return this;
  }

  Views replica(int index, ReplicaSpec spec) {
    replicas.set(index, replicas.get(index).withSpec(spec));
    return this;
  }

  ReplicaSpec replica(int index) {
    return replicas.get(index).spec();
  }

  Views ofEngine(String name) {
    volume = volume.withSpec(volume.spec().withDataEngine(name));
    return this;
  }

  /** Replaces the replicas by one on a shared disk. */
  Views sharedReplica(String diskUUID) {
    Replica first = replicas.get(0);
    replicas.clear();
    replicas.add(
        first.withSpec(
            first
                .spec()
                .withDataEngine(volume.spec().dataEngine())
                .withNodeID("")
                .withDiskID("")
                .withDiskUUID(diskUUID)
                .withHealthyAt(Optional.of(NOW))));
    return this;
  }

  Views owned(String owner, InstanceState state) {
    Replica first = replicas.get(0);
    replicas.set(0, first.withStatus(first.status().withOwnerID(owner).withCurrentState(state)));
    return this;
  }

  Views deletedReplica() {
    Replica first = replicas.get(0);
    replicas.set(
        0,
        first.withMetadata(
            first
                .metadata()
                .plusFinalizer(Replica.FINALIZER)
                .withDeletionTimestamp(Optional.of(NOW))));
    return this;
  }

  Views unprovisioned(int index) {
    Replica replica = replicas.get(index);
    replicas.set(index, replica.withStatus(replica.status().withProvisioned(false)));
    return this;
  }

  /**
   * Sets the requested state of the engine, and the state that its node reports for the current
   * spec.
   */
  Views engine(String told, String node, String state) {
    engine =
        Optional.of(
            Engine.of(
                    "v-e-0",
                    EngineSpec.EMPTY
                        .withVolume("v")
                        .withSize(volume.spec().size())
                        .withNodeID(node)
                        .withDesireState(DesireState.valueOf(told)))
                .withMetadata(
                    ObjectMeta.named("v-e-0")
                        .withGeneration(GENERATION)
                        .plusFinalizer(Engine.FINALIZER))
                .withStatus(
                    EngineStatus.EMPTY
                        .withNodeID(node)
                        .withCurrentState(InstanceState.valueOf(state))
                        .withEndpoint(state.equals("RUNNING") ? "nbd://n/v" : "")
                        .withObservedGeneration(GENERATION)));
    return this;
  }

  /** Sets that the engine's node has not yet reported its current spec. */
  Views unacknowledged() {
    engine = engine.map(e -> e.withStatus(e.status().withObservedGeneration(GENERATION - 1)));
    return this;
  }

  /** Sets that no node has claimed the engine. */
  Views untaken() {
    engine = engine.map(e -> e.withMetadata(e.metadata().minusFinalizer(Engine.FINALIZER)));
    return this;
  }

  Views modes(Map<String, ReplicaMode> modes) {
    engine = engine.map(e -> e.withStatus(e.status().withReplicaModeMap(modes)));
    return this;
  }

  VolumeView on(List<Node> nodes) {
    return new VolumeView(
        volume,
        engine,
        replicas,
        attachment,
        NodeInventory.of(nodes),
        replicas,
        Map.of(),
        SnapshotSummary.whole(0),
        VolumeSettings.DEFAULT,
        NOW);
  }

  VolumePlan plan() {
    List<Node> nodes = new ArrayList<>();
    for (String name : List.of("n1", "n2", "n3")) {
      Node node = Cluster.node(name, 1);
      List<Condition> conditions = unready.contains(name) ? List.of() : node.status().conditions();
      nodes.add(node.withStatus(node.status().withConditions(conditions)));
    }
    return new VolumePlanner().next(on(nodes));
  }
}
