package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.AttacherProvider.Role;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.restore.StandbyState;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.RestoreStatus;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.ServingNode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Builder of one case of a decision. Nodes n1, n2 and n3 are ready. */
final class Case {
  /**
   * Maintenance ticket of a plugin: it yields to workloads, and its priority is above that of pods.
   */
  static final String URGENT = "urgent-controller";

  static final Map<String, AttacherProvider> TYPES = types();

  private final Map<String, AttachmentTicket> tickets = new LinkedHashMap<>();
  private final Map<String, AttacherProvider> types = new HashMap<>(TYPES);
  private final List<Node> nodes =
      new ArrayList<>(
          List.of(
              node("n1", Condition.Status.TRUE),
              node("n2", Condition.Status.TRUE),
              node("n3", Condition.Status.TRUE)));
  private final List<Replica> replicas = new ArrayList<>();
  private VolumeSpec spec = VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"));
  private VolumeStatus status = VolumeStatus.EMPTY.withState(VolumeState.DETACHED);
  private final Map<String, Engine> engines = new LinkedHashMap<>();
  private boolean deleting;
  private boolean needed;

  private record Type(String name, int priority, Role role) implements AttacherProvider {}

  private static Map<String, AttacherProvider> types() {
    Map<String, AttacherProvider> types = new HashMap<>();
    for (AttacherProvider type :
        List.of(
            new Type("volume-restore-controller", 2000, Role.UNINTERRUPTIBLE),
            new Type("volume-expansion-controller", 2000, Role.UNINTERRUPTIBLE),
            new Type("api", 1000, Role.WORKLOAD),
            new Type("csi-attacher", 900, Role.WORKLOAD),
            new Type("salvage-controller", 900, Role.UNINTERRUPTIBLE),
            new Type("share-manager-controller", 900, Role.WORKLOAD),
            new Type("snapshot-controller", 800, Role.INTERRUPTIBLE),
            new Type("backup-controller", 800, Role.INTERRUPTIBLE),
            new Type("volume-content-controller", 800, Role.INTERRUPTIBLE),
            new Type("volume-clone-controller", 800, Role.UNINTERRUPTIBLE),
            new Type("volume-eviction-controller", 800, Role.UNINTERRUPTIBLE),
            new Type("bim-ds-controller", 800, Role.UNINTERRUPTIBLE),
            new Type("volume-rebuilding-controller", 800, Role.INTERRUPTIBLE),
            new Type(URGENT, 950, Role.INTERRUPTIBLE))) {
      types.put(type.name(), type);
    }
    return Map.copyOf(types);
  }

  static Case detached() {
    return new Case();
  }

  static Case attached(String node) {
    return new Case().attachedTo(node, false);
  }

  static Case attachedWithoutFrontend(String node) {
    return new Case().attachedTo(node, true);
  }

  private Case attachedTo(String node, boolean disabled) {
    spec = spec.withNodeID(node).withDisableFrontend(disabled);
    status =
        status
            .withState(VolumeState.ATTACHED)
            .withCurrentNodeID(node)
            .withRobustness(Robustness.HEALTHY);
    return engine(InstanceState.RUNNING, disabled ? "" : "nbd://" + node);
  }

  Case engine(InstanceState state, String endpoint) {
    EngineSpec engineSpec =
        EngineSpec.EMPTY
            .withVolume("v")
            .withNodeID(spec.nodeID())
            .withDisableFrontend(spec.disableFrontend())
            .withDesireState(DesireState.RUNNING);
    engines.put(
        "v-e-0",
        engine("v-e-0", engineSpec)
            .withStatus(
                EngineStatus.EMPTY
                    .withCurrentState(state)
                    .withNodeID(spec.nodeID())
                    .withEndpoint(endpoint)));
    return this;
  }

  static Engine engine(String name, EngineSpec spec) {
    Engine engine = Engine.of(name, spec);
    return engine.withMetadata(
        engine.metadata().withLabels(Map.of("holdfast.dev/volume", spec.volume())));
  }

  Case ticket(String id, String type, String node, String disableFrontend) {
    tickets.put(
        id, AttachmentTicket.of(id, type, node, Map.of("disableFrontend", disableFrontend), 1));
    return this;
  }

  Case csi(String id, String node) {
    return ticket(id, "csi-attacher", node, "false");
  }

  Case backup(String id, String node) {
    return ticket(id, "backup-controller", node, "any");
  }

  Case interruptible(String id, String type, String node) {
    tickets.put(
        id,
        AttachmentTicket.of(
            id, type, node, Map.of("disableFrontend", "any", "interruptible", "true"), 1));
    return this;
  }

  /** Many nodes use the volume, through a share or, if it is migratable, one after the other. */
  Case rwx(boolean migratable) {
    spec = spec.withAccessMode(AccessMode.READ_WRITE_MANY).withMigratable(migratable);
    return this;
  }

  Case shareEndpoint(String uri) {
    status = status.withShareEndpoint(uri);
    return this;
  }

  /** The volume moves to a node, and has reached it or not. */
  Case migrating(String target, boolean reached) {
    spec = spec.withMigrationNodeID(target);
    return reached ? arrived(target) : this;
  }

  /** A second node also serves the volume, by forwarding to the node that has it open. */
  Case arrived(String node) {
    Engine present =
        engines.getOrDefault(
            "v-e-0",
            engine(
                "v-e-0",
                EngineSpec.EMPTY
                    .withVolume("v")
                    .withNodeID("n1")
                    .withDesireState(DesireState.RUNNING)));
    engines.put(
        "v-e-0",
        present
            .withSpec(present.spec().withMigrationNodeID(node))
            .withStatus(
                present.status().withMigrationNodeID(node).withMigrationEndpoint("nbd://" + node)));
    return joined(node);
  }

  /** A second node also served the volume; whether it still does is unknown. */
  Case joined(String node) {
    status = status.withCurrentMigrationNodeID(node);
    return this;
  }

  /** Further nodes that serve the volume. Hosts reach it there or not yet. */
  Case serving(boolean reached, String... names) {
    spec = spec.withServingNodeIDs(List.of(names));
    Engine present = engines.get("v-e-0");
    Map<String, ServingNode> entries = new TreeMap<>();
    Map<String, String> endpoints = new TreeMap<>();
    for (String name : names) {
      String endpoint = reached ? "nbd://" + name : "";
      entries.put(name, ServingNode.EMPTY.withEndpoint(endpoint));
      endpoints.put(name, endpoint);
    }
    engines.put(
        "v-e-0",
        present
            .withSpec(present.spec().withServingNodeIDs(List.of(names)))
            .withStatus(present.status().withServingNodes(entries)));
    status = status.withServingEndpoints(endpoints);
    return this;
  }

  /** A serving node was chosen to take over the volume, and is then not listed as serving. */
  Case serves(String name) {
    spec = spec.withServingNodeIDs(List.of());
    Engine present = engines.get("v-e-0");
    engines.put(
        "v-e-0",
        present.withSpec(present.spec().withServingNodeIDs(List.of()).withMigrationNodeID(name)));
    return this;
  }

  /** The engine of all nodes admits any number of nodes. */
  Case multiNode() {
    nodes.add(node("n4", Condition.Status.TRUE));
    nodes.replaceAll(
        n ->
            n.withStatus(
                n.status()
                    .withEngines(List.of("sparse"))
                    .withEngineCapabilities(Map.of("sparse", List.of("MULTI_NODE")))));
    return this;
  }

  /** The earlier decision: the node to which the volume must be attached. */
  Case wantedAt(String node) {
    spec = spec.withNodeID(node);
    return this;
  }

  Case strictLocal(String replicaNode) {
    spec = spec.withDataLocality(DataLocality.STRICT_LOCAL).withNumberOfReplicas(1);
    replicas.add(
        Replica.of("r", ReplicaSpec.EMPTY.withVolume("v").withNodeID(replicaNode).withDiskID("d")));
    return this;
  }

  /** The volume's replica is on a shared disk of these nodes. */
  Case onSharedDisk(String diskUUID, String... having) {
    replicas.add(Replica.of("r", ReplicaSpec.EMPTY.withVolume("v").withDiskUUID(diskUUID)));
    DiskStatus disk = DiskStatus.EMPTY.withDiskUUID(diskUUID).withShared(true);
    nodes.replaceAll(
        n ->
            List.of(having).contains(n.name())
                ? n.withSpec(n.spec().withDisks(Map.of("san", DiskSpec.EMPTY.withPath("/dev/san"))))
                    .withStatus(n.status().withDiskStatus(Map.of("san", disk)))
                : n);
    return this;
  }

  Case condition(String type, Condition.Status holds, String reason, String message) {
    status =
        status.withConditions(
            Condition.with(status.conditions(), type, holds, reason, message, Instant.EPOCH));
    return this;
  }

  Case lost(String node) {
    nodes.replaceAll(n -> n.name().equals(node) ? ready(n, Condition.Status.UNKNOWN) : n);
    return this;
  }

  Case gone(String node) {
    nodes.removeIf(n -> n.name().equals(node));
    return this;
  }

  Case state(VolumeState state, String current) {
    status = status.withState(state).withCurrentNodeID(current);
    return this;
  }

  /** The volume's first content is a copy in this state. */
  Case copy(CloneState state) {
    spec = spec.withCloneSource(Optional.of(new CloneSource("w", "")));
    status = status.withCloneStatus(CloneStatus.EMPTY.withState(state).withMessage("disk full"));
    return this;
  }

  /** The volume's first content is being copied from a backup. */
  /** Like {@link #restored}, but the volume can be used during the restore. */
  Case restoredLazily() {
    restored();
    spec = spec.withRestoreMode(RestoreMode.LAZY);
    return this;
  }

  /** The volume is a standby volume with the content of one backup. */
  Case standby() {
    spec = spec.withFromBackup("file:///backups?backup=b1&volume=v1").withStandby(true);
    status = status.withRestore(RestoreStatus.EMPTY.withState(CloneState.COMPLETED));
    return this;
  }

  /** The activation of the standby volume was requested, and is not complete. */
  Case beingActivated() {
    standby();
    spec = spec.withStandby(false);
    status = status.withStandby(StandbyStatus.EMPTY.withState(StandbyState.REVERTING));
    return this;
  }

  Case restored() {
    spec = spec.withFromBackup("file:///backups?backup=b1&volume=v1");
    status =
        status.withRestore(
            RestoreStatus.EMPTY
                .withState(CloneState.INITIATED)
                .withRegionSize(new Quantity(2 << 20))
                .withMessage("the target is away"));
    return this;
  }

  /**
   * The volume's first content is being copied, and the volume can be used on one node during that.
   */
  Case usableCopy(String node) {
    copy(CloneState.INITIATED);
    status =
        status.withCloneStatus(
            status.cloneStatus().withNodeID(node).withRegionSize(new Quantity(1 << 20)));
    return this;
  }

  Case robustness(Robustness robustness) {
    status = status.withRobustness(robustness);
    return this;
  }

  Case without(String type) {
    types.remove(type);
    return this;
  }

  Case notReady(String node) {
    nodes.replaceAll(n -> n.name().equals(node) ? ready(n, Condition.Status.FALSE) : n);
    return this;
  }

  /** All nodes report one frontend, and the protocols by which engine sparse exports volumes. */
  Case protocols(String frontend, String... exported) {
    nodes.replaceAll(
        n ->
            n.withStatus(
                n.status()
                    .withFrontends(List.of(frontend))
                    .withNativeProtocols(Map.of("sparse", List.of(exported)))));
    return this;
  }

  Case cordoned(String name) {
    nodes.replaceAll(
        n -> n.name().equals(name) ? n.withSpec(n.spec().withAllowScheduling(false)) : n);
    return this;
  }

  Case deleting() {
    deleting = true;
    return this;
  }

  /** A copy in use still reads from the volume. */
  Case neededByACopy() {
    needed = true;
    return this;
  }

  AttachmentView view(List<Replica> moreReplicas) {
    List<Replica> all = new ArrayList<>(replicas);
    all.addAll(moreReplicas);
    Volume volume = Volume.of("v", spec).withStatus(status);
    if (deleting) {
      volume =
          volume.withMetadata(volume.metadata().withDeletionTimestamp(Optional.of(Instant.EPOCH)));
    }
    if (needed) {
      volume = volume.withMetadata(volume.metadata().plusFinalizer(CloneSource.NEEDED_FINALIZER));
    }
    return new AttachmentView(
        VolumeAttachment.of("v", new VolumeAttachmentSpec("v", tickets)),
        Optional.of(volume),
        List.copyOf(engines.values()),
        nodes,
        all,
        types,
        Instant.EPOCH);
  }

  Outcome decide() {
    return new Outcome(new AttachmentRules().next(view(List.of())));
  }

  private static Node node(String name, Condition.Status ready) {
    return ready(Node.of(name, NodeSpec.EMPTY).withStatus(NodeStatus.EMPTY), ready);
  }

  private static Node ready(Node node, Condition.Status ready) {
    return node.withStatus(
        node.status()
            .withConditions(Condition.with(List.of(), "Ready", ready, "Test", "", Instant.EPOCH)));
  }

  /** The decision. */
  record Outcome(Decision decision) {
    String node() {
      return decision.volumeSpec().orElseThrow().nodeID();
    }

    String target() {
      return decision.volumeSpec().orElseThrow().migrationNodeID();
    }

    List<String> serving() {
      return decision.volumeSpec().orElseThrow().servingNodeIDs();
    }

    boolean frontendDisabled() {
      return decision.volumeSpec().orElseThrow().disableFrontend();
    }

    /**
     * Returns the reason in a ticket's status, with a plus before it if the ticket is satisfied.
     */
    String of(String ticket) {
      AttachmentTicketStatus status = decision.status().attachmentTicketStatuses().get(ticket);
      Condition satisfied = Condition.find(status.conditions(), "Satisfied").orElseThrow();
      return (status.satisfied() ? "+" : "") + satisfied.reason();
    }

    String message(String ticket) {
      return condition(ticket, "Satisfied").orElseThrow().message();
    }

    Optional<Condition> condition(String ticket, String type) {
      return Condition.find(
          decision.status().attachmentTicketStatuses().get(ticket).conditions(), type);
    }
  }
}
