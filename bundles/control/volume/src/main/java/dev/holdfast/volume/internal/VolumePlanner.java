package dev.holdfast.volume.internal;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Plans the steps of a volume by its {@link VolumeStateTable}. An engine may open only when it is
 * known to be closed at all earlier places; replicas stop after it. {@link ReplicaSetPlanner}
 * decides about the set of replicas.
 */
final class VolumePlanner implements VolumePolicy {

  @Override
  public VolumePlan next(VolumeView view) {
    Volume volume = view.volume();
    VolumeStatus status = volume.status();
    VolumeStateTable.Parts parts = VolumeObserver.observe(view);
    VolumeStateTable.Row row =
        VolumeStateTable.next(
            volume.spec().nodeID(),
            status.currentNodeID(),
            status.isForwardedBy(volume.spec().nodeID())
                ? volume.spec().nodeID()
                : status.currentMigrationNodeID(),
            status.state(),
            parts);
    boolean dispose =
        volume.isBeingDeleted()
            && !volume.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER)
            && volume.spec().nodeID().isEmpty()
            && parts.closed();
    if (dispose && row.state() == VolumeState.DETACHED) {
      row = new VolumeStateTable.Row(row.goal(), VolumeState.DELETING, "");
    }
    VolumeView noted = view.withReplicas(ReplicaStatusSync.of(view));
    ReplicaDecision decision = decision(noted, row);
    Placement first = firstPlacement(view, row);
    List<VolumePlan.Note> notes = new ArrayList<>(new Salvage(view).notes());
    notes.addAll(new Expansion(view).notes());
    notes.addAll(new PendingDeletion(view).notes(row));
    List<Replica> changed = replicas(view, noted, row, decision);
    return new VolumePlan(
        newAttachment(view),
        newReplicas(noted, row, first, decision),
        newEngine(view),
        changed,
        new ReplicaOwners(view).chosen(changed),
        engine(view, row, decision),
        released(view),
        decision.deleted().filter(replica -> !replica.isBeingDeleted()).stream().toList(),
        spec(view),
        VolumeStatuses.of(noted, row, parts, first, decision),
        status.state() == VolumeState.DELETING && parts.closed(),
        new PendingDeletion(view).isDue(row),
        decision.again(),
        notes);
  }

  /**
   * Returns the decision about the replicas, which change only while the volume stays attached to
   * its node.
   */
  private static ReplicaDecision decision(VolumeView noted, VolumeStateTable.Row row) {
    boolean attached =
        row.state() == VolumeState.ATTACHED
            && row.currentNodeID().equals(noted.volume().spec().nodeID());
    return ReplicaSetPlanner.decide(noted, attached ? row.goal() : VolumeStateTable.Goal.CLOSE);
  }

  private static Optional<VolumeAttachment> newAttachment(VolumeView view) {
    return view.attachment().isPresent() || view.volume().isBeingDeleted()
        ? Optional.empty()
        : Optional.of(ImportedTickets.attachment(view.volume(), List.of()));
  }

  private static Optional<Engine> newEngine(VolumeView view) {
    Volume volume = view.volume();
    if (view.engine().isPresent() || volume.isBeingDeleted()) {
      return Optional.empty();
    }
    EngineSpec spec =
        EngineSpec.EMPTY
            .withVolume(volume.name())
            .withDataEngine(volume.spec().dataEngine())
            .withFrontend(volume.spec().frontend())
            .withSize(volume.spec().size());
    return Optional.of(
        Engine.of(view.activeEngine(), spec)
            .withMetadata(VolumeNaming.part(view.activeEngine(), volume)));
  }

  /** Returns the places of the first replicas; later replicas need a rebuild. */
  private static Placement firstPlacement(VolumeView view, VolumeStateTable.Row row) {
    Placement.Wanted missing = new NewReplicas(view).missing();
    boolean nothing = missing.copies() == 0 && !missing.witness();
    boolean later = nothing || new CloneTopology(view.volume()).mustGo();
    if (row.goal() != VolumeStateTable.Goal.MAKE || later) {
      return Placement.NONE;
    }
    return new ReplicaScheduler(
            view.settings().scheduler(), view.nodes(), view.volume(), view.allReplicas())
        .place(missing);
  }

  private static List<Replica> newReplicas(
      VolumeView view, VolumeStateTable.Row row, Placement first, ReplicaDecision decision) {
    NewReplicas made = new NewReplicas(view);
    return row.goal() == VolumeStateTable.Goal.MAKE
        ? made.first(first)
        : made.another(decision.place());
  }

  private static List<Replica> replicas(
      VolumeView view, VolumeView noted, VolumeStateTable.Row row, ReplicaDecision decision) {
    Salvage salvage = new Salvage(view);
    Expansion growth = new Expansion(view);
    List<Replica> changed = new ArrayList<>();
    for (int i = 0; i < view.replicas().size(); i++) {
      Replica replica = view.replicas().get(i);
      ReplicaSpec spec = noted.replicas().get(i).spec();
      boolean revived =
          salvage.revives(replica) || decision.revived().filter(isSame(replica)).isPresent();
      if (revived) {
        spec = spec.withFailedAt(Optional.empty());
      }
      ReplicaSpec next =
          spec.withSize(growth.requested(spec.size()))
              .withDesireState(desired(replica, spec, view, row));
      if (!next.equals(replica.spec())) {
        changed.add(replica.withSpec(next));
      } else if (view.isHeld(replica) && decision.deleted().filter(isSame(replica)).isPresent()) {
        changed.add(replica.disposable());
      }
    }
    return changed;
  }

  private static Predicate<Replica> isSame(Replica replica) {
    return other -> other.name().equals(replica.name());
  }

  private static DesireState desired(
      Replica replica, ReplicaSpec spec, VolumeView view, VolumeStateTable.Row row) {
    return switch (row.goal()) {
      case MAKE -> DesireState.STOPPED;
      case OPEN ->
          spec.failedAt().isEmpty() && !view.isGoing(replica)
              ? DesireState.RUNNING
              : DesireState.STOPPED;
      case CLOSE -> VolumeObserver.isEngineClosed(view) ? DesireState.STOPPED : spec.desireState();
    };
  }

  private static Optional<Engine> engine(
      VolumeView view, VolumeStateTable.Row row, ReplicaDecision decision) {
    if (view.engine().isEmpty()) {
      return Optional.empty();
    }
    Engine engine = view.engine().get();
    EngineSpec moved =
        switch (row.goal()) {
          case MAKE, CLOSE -> closing(engine, view);
          case OPEN -> opening(engine.spec(), view, row);
        };
    EngineSpec next = withCommands(moved, view, decision);
    return Optional.of(engine.withSpec(next)).filter(e -> !next.equals(engine.spec()));
  }

  private static EngineSpec withCommands(
      EngineSpec spec, VolumeView view, ReplicaDecision decision) {
    VolumeSpec volume = view.volume().spec();
    return decision
        .orders()
        .in(spec)
        .withSize(new Expansion(view).requested(spec.size()))
        .withRebuildBytesPerSecond(new Quantity(view.settings().rebuildBytesPerSecond(volume)))
        .withSalvage(new Salvage(view).forEngine())
        .withFlushedOnly(volume.flushedOnly())
        .withUnmapMarkSnapChainRemoved(view.settings().trimRemovesSnapshots(volume));
  }

  /**
   * Returns the spec of a closing engine. Forwarding nodes stop first, so that their clients are
   * disconnected before their requests hang.
   */
  private static EngineSpec closing(Engine engine, VolumeView view) {
    EngineSpec alone = engine.spec().withMigrationNodeID("").withServingNodeIDs(List.of());
    return Migration.isForwardedTo(engine, view)
        ? alone
        : alone.withDesireState(DesireState.STOPPED);
  }

  private static EngineSpec opening(EngineSpec spec, VolumeView view, VolumeStateTable.Row row) {
    String node = view.volume().spec().nodeID();
    if (spec.desireState() == DesireState.RUNNING) {
      if (row.state() == VolumeState.ATTACHED) {
        return spec.withNodeID(node)
            .withMigrationNodeID(Migration.wanted(view, row))
            .withServingNodeIDs(Migration.serving(view, row));
      }
      return spec.nodeID().equals(node) ? spec : spec.withDesireState(DesireState.STOPPED);
    }
    if (!VolumeObserver.isEngineClosed(view) || !VolumeObserver.replicasReady(view)) {
      return spec;
    }
    return spec.withNodeID(node)
        .withFrontend(view.volume().spec().frontend())
        .withDisableFrontend(view.volume().spec().disableFrontend())
        .withDesireState(DesireState.RUNNING);
  }

  /**
   * Returns the replicas whose node was deleted with their data. A replica on a shared disk has no
   * node and keeps its data, which its next owner removes.
   */
  private static List<Replica> released(VolumeView view) {
    return view.replicas().stream()
        .filter(Replica::isBeingDeleted)
        .filter(replica -> replica.metadata().hasFinalizer(Replica.FINALIZER))
        .filter(replica -> view.nodes().isNodeGone(replica))
        .toList();
  }

  private static Optional<VolumeSpec> spec(VolumeView view) {
    return new Salvage(view).settled().or(() -> new Expansion(view).tooLate());
  }
}
