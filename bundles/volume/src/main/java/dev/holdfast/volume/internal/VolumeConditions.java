package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Engine;
import dev.holdfast.resource.InstanceState;
import dev.holdfast.resource.Node;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.Robustness;
import dev.holdfast.resource.Volume;
import dev.holdfast.resource.VolumeState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A volume's conditions. Scheduled is always there; the others while they have something to say.
 */
final class VolumeConditions {
  static final String SCHEDULED = "Scheduled";
  static final String PROVISIONED = "Provisioned";
  static final String SUPPORTED = "Supported";
  static final String ENGINE_READY = "EngineReady";
  static final String EXPANDED = "Expanded";
  static final String REPLICAS_COMPLETE = "ReplicasComplete";
  static final String FAULTED = "Faulted";

  private final Instant now;
  private List<Condition> conditions;

  private VolumeConditions(List<Condition> earlier, Instant now) {
    this.conditions = new ArrayList<>(earlier);
    this.now = now;
  }

  /** Why an aspect does not hold. */
  private record Fault(String reason, String message) {}

  static List<Condition> of(
      VolumeView view, VolumeTable.Row row, Placement placement, Robustness robustness) {
    VolumeConditions result = new VolumeConditions(view.volume().status().conditions(), view.now());
    result.scheduled(view, row, placement);
    result.falseIf(PROVISIONED, unprovisioned(view, row));
    result.falseIf(SUPPORTED, unsupported(view));
    result.falseIf(ENGINE_READY, engineNotReady(view, row));
    result.falseIf(EXPANDED, notExpanded(view));
    result.falseIf(REPLICAS_COMPLETE, incomplete(view, row));
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

  private void scheduled(VolumeView view, VolumeTable.Row row, Placement placement) {
    if (!placement.isComplete()) {
      set(SCHEDULED, Condition.Status.FALSE, placement.reason(), placement.message());
      return;
    }
    boolean known = row.state() != VolumeState.CREATING || !view.replicas().isEmpty();
    if (known || !placement.targets().isEmpty()) {
      set(SCHEDULED, Condition.Status.TRUE, SCHEDULED, "");
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

  private static Optional<Fault> unprovisioned(VolumeView view, VolumeTable.Row row) {
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
            + " is not made yet by node "
            + replica.spec().nodeID()
            + " on disk "
            + replica.spec().diskID();
    return Condition.find(replica.status().conditions(), PROVISIONED)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(condition -> new Fault(condition.reason(), waits + ": " + condition.message()))
        .orElseGet(() -> new Fault("Provisioning", waits));
  }

  /** Nodes tell what is installed; while none does, nothing is said. */
  private static Optional<Fault> unsupported(VolumeView view) {
    Volume volume = view.volume();
    Set<String> engines = installed(view, node -> node.status().engines());
    if (!engines.isEmpty() && !engines.contains(volume.spec().dataEngine())) {
      return Optional.of(
          new Fault(
              "UnknownEngine",
              "no node has engine " + volume.spec().dataEngine() + "; installed are " + engines));
    }
    Set<String> frontends = installed(view, node -> node.status().frontends());
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
    view.nodes().forEach(node -> names.addAll(plugins.apply(node)));
    return names;
  }

  private static Optional<Fault> engineNotReady(VolumeView view, VolumeTable.Row row) {
    boolean runs =
        view.engine()
            .filter(PartsObserver::isInSync)
            .filter(e -> e.status().currentState() == InstanceState.RUNNING)
            .isPresent();
    if (row.goal() != VolumeTable.Goal.OPEN || runs) {
      return Optional.empty();
    }
    return Optional.of(
        view.engine()
            .flatMap(VolumeConditions::engineSays)
            .orElseGet(() -> new Fault("NotRunning", "the engine does not run yet on its node")));
  }

  private static Optional<Fault> engineSays(Engine engine) {
    return Condition.find(engine.status().conditions(), "Ready")
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(condition -> new Fault(condition.reason(), condition.message()));
  }

  private static Optional<Fault> notExpanded(VolumeView view) {
    Volume volume = view.volume();
    return view.engine()
        .filter(engine -> engine.spec().size().compareTo(volume.spec().size()) < 0)
        .map(
            engine ->
                new Fault(
                    "ExpansionUnsupported",
                    "the device keeps its size of "
                        + engine.spec().size()
                        + ": growing to "
                        + volume.spec().size()
                        + " is not supported by this version"));
  }

  private static Optional<Fault> incomplete(VolumeView view, VolumeTable.Row row) {
    if (row.state() == VolumeState.CREATING || view.volume().isBeingDeleted()) {
      return Optional.empty();
    }
    int wanted = view.volume().spec().numberOfReplicas();
    int usable = view.usable().size();
    if (usable == wanted) {
      return Optional.empty();
    }
    String count = "volume " + view.volume().name() + " has " + usable + " of " + wanted;
    return Optional.of(
        usable < wanted
            ? new Fault(
                "RebuildUnsupported",
                count
                    + " usable replicas; making another needs a rebuild, which this version lacks")
            : new Fault(
                "SurplusKept", count + " replicas; this version keeps those that are too many"));
  }
}
