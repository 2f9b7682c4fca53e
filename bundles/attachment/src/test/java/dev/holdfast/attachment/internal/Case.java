package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherType;
import dev.holdfast.attacher.AttacherType.Role;
import dev.holdfast.resource.AttachmentTicket;
import dev.holdfast.resource.AttachmentTicketStatus;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.DesireState;
import dev.holdfast.resource.Engine;
import dev.holdfast.resource.EngineSpec;
import dev.holdfast.resource.EngineStatus;
import dev.holdfast.resource.InstanceState;
import dev.holdfast.resource.Node;
import dev.holdfast.resource.NodeSpec;
import dev.holdfast.resource.NodeStatus;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.Robustness;
import dev.holdfast.resource.Volume;
import dev.holdfast.resource.VolumeAttachment;
import dev.holdfast.resource.VolumeAttachmentSpec;
import dev.holdfast.resource.VolumeSpec;
import dev.holdfast.resource.VolumeState;
import dev.holdfast.resource.VolumeStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One case of a decision, put together word by word; nodes n1, n2 and n3 are ready. */
final class Case {
  static final Map<String, AttacherType> TYPES = types();

  private final Map<String, AttachmentTicket> tickets = new LinkedHashMap<>();
  private final Map<String, AttacherType> types = new HashMap<>(TYPES);
  private final List<Node> nodes =
      new ArrayList<>(List.of(node("n1", true), node("n2", true), node("n3", true)));
  private VolumeSpec spec = VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"));
  private VolumeStatus status = VolumeStatus.EMPTY.withState(VolumeState.DETACHED);
  private final Map<String, Engine> engines = new LinkedHashMap<>();
  private boolean deleting;

  private record Type(String name, int priority, Role role) implements AttacherType {}

  private static Map<String, AttacherType> types() {
    Map<String, AttacherType> types = new HashMap<>();
    for (AttacherType type :
        List.of(
            new Type("api", 1000, Role.WORKLOAD),
            new Type("csi-attacher", 900, Role.WORKLOAD),
            new Type("volume-restore-controller", 2000, Role.UNINTERRUPTIBLE),
            new Type("volume-rebuilding-controller", 800, Role.UNINTERRUPTIBLE),
            new Type("backup-controller", 800, Role.INTERRUPTIBLE),
            new Type("snapshot-controller", 800, Role.INTERRUPTIBLE))) {
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
        id, new AttachmentTicket(id, type, node, Map.of("disableFrontend", disableFrontend), 1));
    return this;
  }

  Case csi(String id, String node) {
    return ticket(id, "csi-attacher", node, "false");
  }

  Case backup(String id, String node) {
    return ticket(id, "backup-controller", node, "any");
  }

  Case state(VolumeState state, String current) {
    status = status.withState(state).withCurrentNodeID(current);
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
    nodes.replaceAll(n -> n.name().equals(node) ? node(node, false) : n);
    return this;
  }

  Case deleting() {
    deleting = true;
    return this;
  }

  AttachmentView view(List<Replica> replicas) {
    Volume volume = Volume.of("v", spec).withStatus(status);
    if (deleting) {
      volume =
          volume.withMetadata(volume.metadata().withDeletionTimestamp(Optional.of(Instant.EPOCH)));
    }
    return new AttachmentView(
        VolumeAttachment.of("v", new VolumeAttachmentSpec("v", tickets)),
        Optional.of(volume),
        List.copyOf(engines.values()),
        nodes,
        replicas,
        types,
        Instant.EPOCH);
  }

  Outcome decide() {
    return new Outcome(new AttachmentRules().next(view(List.of())));
  }

  private static Node node(String name, boolean ready) {
    return Node.of(name, NodeSpec.EMPTY)
        .withStatus(
            NodeStatus.EMPTY.withConditions(
                Condition.with(
                    List.of(),
                    "Ready",
                    ready ? Condition.Status.TRUE : Condition.Status.FALSE,
                    "Test",
                    "",
                    Instant.EPOCH)));
  }

  /** What was decided. */
  record Outcome(Decision decision) {
    String node() {
      return decision.volumeSpec().orElseThrow().nodeID();
    }

    boolean frontendDisabled() {
      return decision.volumeSpec().orElseThrow().disableFrontend();
    }

    /** The reason of a ticket's answer, with a plus before it when it is satisfied. */
    String of(String ticket) {
      AttachmentTicketStatus status = decision.status().attachmentTicketStatuses().get(ticket);
      Condition satisfied = Condition.find(status.conditions(), "Satisfied").orElseThrow();
      return (status.satisfied() ? "+" : "") + satisfied.reason();
    }

    Optional<Condition> condition(String ticket, String type) {
      return Condition.find(
          decision.status().attachmentTicketStatuses().get(ticket).conditions(), type);
    }
  }
}
