package dev.holdfast.volume.internal;

import dev.holdfast.resource.DesireState;
import dev.holdfast.resource.Engine;
import dev.holdfast.resource.EngineSpec;
import dev.holdfast.resource.InstanceState;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.ReplicaMode;
import dev.holdfast.resource.ReplicaSpec;
import dev.holdfast.resource.Volume;
import dev.holdfast.resource.VolumeAttachment;
import dev.holdfast.resource.VolumeAttachmentSpec;
import dev.holdfast.resource.VolumeState;
import dev.holdfast.resource.VolumeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The steps of a volume by its {@link VolumeTable}. An engine is told to open only when it is known
 * to be closed wherever it was told to open before; replicas stop after it.
 */
final class VolumePlanner implements VolumePolicy {

  @Override
  public VolumePlan next(VolumeView view) {
    Volume volume = view.volume();
    VolumeStatus status = volume.status();
    VolumeTable.Parts parts = PartsObserver.observe(view);
    VolumeTable.Row row =
        VolumeTable.next(volume.spec().nodeID(), status.currentNodeID(), status.state(), parts);
    boolean dispose = volume.isBeingDeleted() && volume.spec().nodeID().isEmpty() && parts.closed();
    if (dispose && row.state() == VolumeState.DETACHED) {
      row = new VolumeTable.Row(row.goal(), VolumeState.DELETING, "");
    }
    Placement placement = placement(view, row);
    return new VolumePlan(
        newAttachment(view),
        newReplicas(view, placement),
        newEngine(view),
        replicas(view, row),
        engine(view, row),
        VolumeStatuses.of(view, row, parts, placement),
        status.state() == VolumeState.DELETING && parts.closed());
  }

  private static Optional<VolumeAttachment> newAttachment(VolumeView view) {
    if (view.attachment().isPresent() || view.volume().isBeingDeleted()) {
      return Optional.empty();
    }
    String name = view.volume().name();
    return Optional.of(
        VolumeAttachment.of(name, new VolumeAttachmentSpec(name, Map.of()))
            .withMetadata(Names.part(name, view.volume())));
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
        Engine.of(Names.engine(volume), spec)
            .withMetadata(Names.part(Names.engine(volume), volume)));
  }

  /**
   * Where missing replicas go. They are made only before the first opening: later ones need a
   * rebuild.
   */
  private static Placement placement(VolumeView view, VolumeTable.Row row) {
    int missing = missing(view).size();
    if (row.goal() != VolumeTable.Goal.MAKE || missing == 0) {
      return new Placement(List.of(), "", "");
    }
    return new ReplicaScheduler(view.settings(), view.nodes())
        .place(view.volume(), missing, view.allReplicas());
  }

  private static List<String> missing(VolumeView view) {
    Set<String> present = view.replicas().stream().map(Replica::name).collect(Collectors.toSet());
    return Names.replicas(view.volume()).stream().filter(name -> !present.contains(name)).toList();
  }

  private static List<Replica> newReplicas(VolumeView view, Placement placement) {
    Volume volume = view.volume();
    List<String> names = missing(view);
    List<Replica> replicas = new ArrayList<>();
    for (int i = 0; i < placement.targets().size(); i++) {
      String name = names.get(i);
      Placement.Target target = placement.targets().get(i);
      ReplicaSpec spec =
          ReplicaSpec.EMPTY
              .withVolume(volume.name())
              .withDataEngine(volume.spec().dataEngine())
              .withSize(view.engine().map(e -> e.spec().size()).orElse(volume.spec().size()))
              .withNodeID(target.nodeID())
              .withDiskID(target.diskID())
              .withDiskPath(target.diskPath())
              .withDataDirectoryName(name);
      replicas.add(
          Replica.of(name, spec)
              .withMetadata(Names.part(name, volume).plusFinalizer(Names.REPLICA_FINALIZER)));
    }
    return replicas;
  }

  private static List<Replica> replicas(VolumeView view, VolumeTable.Row row) {
    List<Replica> changed = new ArrayList<>();
    for (Replica replica : view.replicas()) {
      ReplicaSpec marked = marked(replica, view);
      ReplicaSpec next =
          marked.withDesireState(
              switch (row.goal()) {
                case MAKE -> DesireState.STOPPED;
                case OPEN ->
                    marked.failedAt().isEmpty() && !replica.isBeingDeleted()
                        ? DesireState.RUNNING
                        : DesireState.STOPPED;
                case CLOSE ->
                    PartsObserver.isEngineClosed(view) ? DesireState.STOPPED : marked.desireState();
              });
      if (!next.equals(replica.spec())) {
        changed.add(replica.withSpec(next));
      }
    }
    return changed;
  }

  /** Notes what the running engine says of a replica; never gives up the last one. */
  private static ReplicaSpec marked(Replica replica, VolumeView view) {
    ReplicaSpec spec = replica.spec();
    Optional<Engine> engine =
        view.engine()
            .filter(PartsObserver::isInSync)
            .filter(e -> e.status().currentState() == InstanceState.RUNNING);
    Optional<ReplicaMode> mode = engine.map(e -> e.status().replicaModeMap().get(replica.name()));
    if (mode.isEmpty()) {
      return spec;
    }
    boolean anotherIsCurrent = engine.get().status().replicaModeMap().containsValue(ReplicaMode.RW);
    return switch (mode.get()) {
      case RW -> spec.healthyAt().isPresent() ? spec : spec.withHealthyAt(Optional.of(view.now()));
      case WO -> spec;
      case ERR ->
          spec.failedAt().isEmpty() && anotherIsCurrent
              ? spec.withFailedAt(Optional.of(view.now()))
              : spec;
    };
  }

  private static Optional<Engine> engine(VolumeView view, VolumeTable.Row row) {
    if (view.engine().isEmpty()) {
      return Optional.empty();
    }
    Engine engine = view.engine().get();
    EngineSpec next =
        switch (row.goal()) {
          case MAKE, CLOSE -> engine.spec().withDesireState(DesireState.STOPPED);
          case OPEN -> opening(engine.spec(), view);
        };
    return Optional.of(engine.withSpec(next)).filter(e -> !next.equals(engine.spec()));
  }

  private static EngineSpec opening(EngineSpec spec, VolumeView view) {
    String node = view.volume().spec().nodeID();
    if (spec.desireState() == DesireState.RUNNING) {
      return spec.nodeID().equals(node) ? spec : spec.withDesireState(DesireState.STOPPED);
    }
    if (!PartsObserver.isEngineClosed(view) || !PartsObserver.replicasReady(view)) {
      return spec;
    }
    return spec.withNodeID(node)
        .withFrontend(view.volume().spec().frontend())
        .withDisableFrontend(view.volume().spec().disableFrontend())
        .withDesireState(DesireState.RUNNING);
  }
}
