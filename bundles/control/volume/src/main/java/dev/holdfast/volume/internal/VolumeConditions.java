package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.DeletionCondition;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** The conditions of a volume. Scheduled is always present; the others only if they apply. */
final class VolumeConditions {
  static final String SCHEDULED = Volume.SCHEDULED_CONDITION;
  static final String PROVISIONED = Volume.PROVISIONED_CONDITION;
  static final String SUPPORTED = "Supported";
  static final String ENGINE_READY = Volume.ENGINE_READY_CONDITION;
  static final String EXPANDED = Volume.EXPANDED_CONDITION;
  static final String PLACED = Engine.PLACED_CONDITION;
  static final String REQUESTS_PASS = Engine.REQUESTS_PASS_CONDITION;
  static final String REPLICAS_COMPLETE = "ReplicasComplete";
  static final String FAULTED = Volume.FAULTED_CONDITION;
  static final String SALVAGED = "Salvaged";
  static final String TOO_MANY_SNAPSHOTS = "TooManySnapshots";
  static final String SNAPSHOTS_INTACT = "SnapshotsIntact";
  static final String MIGRATION = Volume.MIGRATION_CONDITION;
  static final String TICKETS_SATISFIED = Volume.TICKETS_SATISFIED_CONDITION;

  /** Condition of an engine that could not grow. */
  private static final String EXPANSION_FAILED = Engine.EXPANSION_FAILED_CONDITION;

  private static final String UNREACHABLE = Engine.UNREACHABLE_REASON;

  private final Instant now;
  private List<Condition> conditions;

  private VolumeConditions(List<Condition> earlier, Instant now) {
    this.conditions = new ArrayList<>(earlier);
    this.now = now;
  }

  /** Reason of a condition that does not hold. */
  private record Fault(String reason, String message) {}

  static List<Condition> of(
      VolumeView view,
      VolumeStateTable.Row row,
      Placement placement,
      ReplicaDecision decision,
      Robustness robustness) {
    VolumeConditions result = new VolumeConditions(view.volume().status().conditions(), view.now());
    result.scheduled(view, row, placement);
    result.falseIf(PROVISIONED, unprovisioned(view, row));
    result.falseIf(SUPPORTED, unsupported(view));
    result.falseIf(ENGINE_READY, engineNotReady(view, row));
    result.falseIf(EXPANDED, notExpanded(view));
    result.falseIf(PLACED, engineSays(view, row, PLACED));
    result.falseIf(REQUESTS_PASS, engineSays(view, row, REQUESTS_PASS));
    result.falseIf(REPLICAS_COMPLETE, incomplete(view, row, decision));
    result.falseIf(SALVAGED, notSalvaged(view));
    result.falseIf(FaultRetry.RECOVERED, notRecovered(view, robustness));
    result.falseIf(
        MIGRATION, Migration.obstacle(view, row).map(c -> new Fault(c.reason(), c.message())));
    result.falseIf(TICKETS_SATISFIED, ticketsWaiting(view));
    result.falseIf(
        SNAPSHOTS_INTACT,
        view.snapshots().damage(view.volume()).map(text -> new Fault("Damaged", text)));
    result.crowded(view);
    result.pendingDeletion(new PendingDeletion(view).condition(row));
    result.faulted(view.volume(), robustness);
    return List.copyOf(result.conditions);
  }

  private void set(String type, Condition.Status status, String reason, String message) {
    conditions = Condition.with(conditions, type, status, reason, message, now);
  }

  private void falseIf(String type, Optional<Fault> fault) {
    if (fault.isPresent()) {
      set(type, Condition.Status.FALSE, fault.get().reason(), fault.get().message());
    } else {
      conditions = conditions.stream().filter(c -> !c.type().equals(type)).toList();
    }
  }

  private void scheduled(VolumeView view, VolumeStateTable.Row row, Placement placement) {
    if (!placement.isComplete()) {
      set(SCHEDULED, Condition.Status.FALSE, placement.reason(), placement.message());
      return;
    }
    boolean known = row.state() != VolumeState.CREATING || !view.replicas().isEmpty();
    if (known || !placement.targets().isEmpty()) {
      set(SCHEDULED, Condition.Status.TRUE, SCHEDULED, "");
    }
  }

  private void crowded(VolumeView view) {
    Optional<String> tooMany = view.snapshots().tooMany(view.volume());
    if (tooMany.isPresent()) {
      set(TOO_MANY_SNAPSHOTS, Condition.Status.TRUE, TOO_MANY_SNAPSHOTS, tooMany.get());
    } else {
      conditions = conditions.stream().filter(c -> !c.type().equals(TOO_MANY_SNAPSHOTS)).toList();
    }
  }

  private void pendingDeletion(Optional<VolumePlan.Note> pending) {
    if (pending.isPresent()) {
      set(
          DeletionCondition.TYPE,
          Condition.Status.TRUE,
          pending.get().reason(),
          pending.get().message());
    } else {
      conditions =
          conditions.stream().filter(c -> !c.type().equals(DeletionCondition.TYPE)).toList();
    }
  }

  private void faulted(Volume volume, Robustness robustness) {
    if (robustness == Robustness.FAULTED) {
      set(
          FAULTED,
          Condition.Status.TRUE,
          "NoCurrentReplica",
          "volume " + volume.name() + " has no replica that is known to be current");
    } else {
      conditions = conditions.stream().filter(c -> !c.type().equals(FAULTED)).toList();
    }
  }

  private static Optional<Fault> unprovisioned(VolumeView view, VolumeStateTable.Row row) {
    if (row.state() != VolumeState.CREATING) {
      return Optional.empty();
    }
    return view.replicas().stream()
        .filter(replica -> !replica.status().provisioned())
        .findFirst()
        .map(VolumeConditions::notProvisioned);
  }

  private static Fault notProvisioned(Replica replica) {
    String waits =
        "replica "
            + replica.name()
            + " is not made yet by "
            + (replica.ownerNode().isEmpty() ? "a node" : "node " + replica.ownerNode())
            + " on disk "
            + (replica.isOnSharedDisk() ? replica.spec().diskUUID() : replica.spec().diskID());
    return Condition.find(replica.status().conditions(), PROVISIONED)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(condition -> new Fault(condition.reason(), waits + ": " + condition.message()))
        .orElseGet(() -> new Fault("Provisioning", waits));
  }

  /** Reports missing plugins. The condition is absent while nodes do not report their plugins. */
  private static Optional<Fault> unsupported(VolumeView view) {
    Volume volume = view.volume();
    Set<String> engines = installed(view, node -> node.status().engines());
    if (!engines.isEmpty() && !engines.contains(volume.spec().dataEngine())) {
      return Optional.of(
          new Fault(
              "UnknownEngine",
              "no node has engine " + volume.spec().dataEngine() + "; installed are " + engines));
    }
    String engine = volume.spec().dataEngine();
    Set<String> frontends = installed(view, node -> node.status().protocols(engine));
    if (!frontends.isEmpty() && !frontends.contains(volume.spec().frontend())) {
      return Optional.of(
          new Fault(
              "UnknownFrontend",
              "no node has frontend " + volume.spec().frontend() + "; installed are " + frontends));
    }
    return Optional.empty();
  }

  private static Set<String> installed(VolumeView view, Function<Node, List<String>> plugins) {
    Set<String> names = new TreeSet<>();
    view.nodes().all().forEach(node -> names.addAll(plugins.apply(node)));
    return names;
  }

  private static Optional<Fault> engineNotReady(VolumeView view, VolumeStateTable.Row row) {
    boolean runs =
        view.engine()
            .filter(VolumeObserver::isInSync)
            .filter(e -> e.status().currentState() == InstanceState.RUNNING)
            .isPresent();
    if (row.goal() != VolumeStateTable.Goal.OPEN || runs) {
      return Optional.empty();
    }
    Fault fault =
        view.engine()
            .flatMap(engine -> engineSays(engine, Condition.READY))
            .orElseGet(
                () ->
                    new Fault(
                        Volume.NOT_RUNNING_REASON, "the engine is not running on its node yet"));
    return Optional.of(
        fault.reason().equals(UNREACHABLE) ? withRemedy(fault, view.volume()) : fault);
  }

  /**
   * Adds the remedy: an administrator who cannot restore the data may declare which replicas are
   * valid.
   */
  private static Fault withRemedy(Fault fault, Volume volume) {
    return new Fault(
        fault.reason(),
        fault.message()
            + "; bring back what is missing, or declare whose content counts with 'holdfast volume"
            + " salvage "
            + volume.name()
            + " --replica NAME', which loses the writes that only others hold");
  }

  /** Reports the reasons of waiting tickets on the volume. */
  private static Optional<Fault> ticketsWaiting(VolumeView view) {
    return view.attachment()
        .flatMap(
            attachment ->
                Condition.find(
                    attachment.status().conditions(), AttachmentTicketStatus.SATISFIED_CONDITION))
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(condition -> new Fault(condition.reason(), condition.message()));
  }

  private static Optional<Fault> notRecovered(VolumeView view, Robustness robustness) {
    return FaultRetry.isPending(view, robustness)
        ? Optional.of(
            new Fault(
                "TriedAgain",
                "volume "
                    + view.volume().name()
                    + " had no current replica; the engine starts again after 30 s, and then at "
                    + "growing"
                    + " intervals of at most 5 min, or when a node with a replica comes back"))
        : Optional.empty();
  }

  private static Optional<Fault> notSalvaged(VolumeView view) {
    return new Salvage(view).obstacle().map(text -> new Fault("UnknownReplica", text));
  }

  private static Optional<Fault> engineSays(Engine engine, String type) {
    return Condition.find(engine.status().conditions(), type)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(condition -> new Fault(condition.reason(), condition.message()));
  }

  /** Returns the engine's report on a volume that must be open. */
  private static Optional<Fault> engineSays(
      VolumeView view, VolumeStateTable.Row row, String type) {
    return view.engine()
        .filter(engine -> row.goal() == VolumeStateTable.Goal.OPEN)
        .flatMap(engine -> engineSays(engine, type));
  }

  private static Optional<Fault> notExpanded(VolumeView view) {
    Expansion growth = new Expansion(view);
    if (!growth.isWanted()) {
      return Optional.empty();
    }
    String keeps = "the device keeps its size of " + growth.achieved() + ": ";
    if (!growth.isSupported()) {
      return Optional.of(
          new Fault(
              "ExpansionUnsupported",
              keeps
                  + "engine "
                  + view.volume().spec().dataEngine()
                  + " cannot grow to "
                  + view.volume().spec().size()));
    }
    return Optional.of(
        view.engine()
            .flatMap(e -> Condition.find(e.status().conditions(), EXPANSION_FAILED))
            .filter(condition -> condition.status() == Condition.Status.TRUE)
            .map(
                c ->
                    new Fault(
                        EXPANSION_FAILED,
                        keeps
                            + c.message()
                            + "; set spec.size to "
                            + growth.achieved()
                            + " to cancel the expansion"))
            .orElseGet(
                () ->
                    new Fault(
                        Volume.EXPANDING_REASON,
                        keeps
                            + "it grows to "
                            + view.volume().spec().size()
                            + " while the volume is attached")));
  }

  private static Optional<Fault> incomplete(
      VolumeView view, VolumeStateTable.Row row, ReplicaDecision decision) {
    if (row.state() == VolumeState.CREATING || view.volume().isBeingDeleted()) {
      return Optional.empty();
    }
    int wanted = view.wantedCopies();
    int usable = view.usableCopies().size();
    String lost = lostData(view, usable >= wanted);
    String count =
        "volume " + view.volume().name() + " has " + usable + " of " + wanted + " usable replicas";
    Optional<Fault> held = held(view, row, decision);
    if (held.isPresent()) {
      return held;
    }
    if (decision.waits().isPresent()) {
      ReplicaDecision.Reason why = decision.waits().get();
      return Optional.of(new Fault(why.reason(), count + ": " + why.message() + and(lost)));
    }
    if (!decision.orders().rebuild().isEmpty()) {
      return Optional.of(
          new Fault(
              "Rebuilding",
              "replica " + decision.orders().rebuild() + " is being rebuilt" + and(lost)));
    }
    if (!lost.isEmpty()) {
      return Optional.of(new Fault(LostData.REASON, lost));
    }
    return usable >= wanted ? Optional.empty() : Optional.of(new Fault("TooFewReplicas", count));
  }

  /** Returns why replicas that a user deleted still exist. */
  private static Optional<Fault> held(
      VolumeView view, VolumeStateTable.Row row, ReplicaDecision decision) {
    List<String> names = view.replicas().stream().filter(view::isHeld).map(Replica::name).toList();
    if (names.isEmpty()) {
      return Optional.empty();
    }
    String state =
        row.state() != VolumeState.ATTACHED
            ? "the volume is not attached; replicas are replaced while it is"
            : decision
                .waits()
                .map(
                    why ->
                        why.message()
                            + "; to do with fewer replicas, lower spec.numberOfReplicas of volume "
                            + view.volume().name())
                .orElse("that one is being made");
    return Optional.of(
        new Fault(
            "DeletedReplicaKept",
            "replicas "
                + names
                + " are being deleted and stay in use until other current ones replace them: "
                + state));
  }

  /** Returns the message about lost replicas; empty after their replacement. */
  private static String lostData(VolumeView view, boolean complete) {
    List<Replica> lost =
        LostData.among(view.replicas()).stream()
            .filter(replica -> !complete || view.isCurrent(replica))
            .toList();
    return lost.isEmpty() ? "" : LostData.text(lost, view.volume().spec().staleReplicaTimeout());
  }

  private static String and(String more) {
    return more.isEmpty() ? "" : "; " + more;
  }
}
