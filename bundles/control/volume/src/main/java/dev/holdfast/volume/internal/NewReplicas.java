package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Creates the resources of placed replicas. */
final class NewReplicas {
  private final VolumeView view;

  NewReplicas(VolumeView view) {
    this.view = view;
  }

  /** Returns the replicas that are missing before the first opening. */
  Placement.Wanted missing() {
    int copies =
        view.wantedCopies()
            - (int) view.replicas().stream().filter(r -> !r.spec().witness()).count();
    boolean witnessed = view.replicas().stream().anyMatch(r -> r.spec().witness());
    return new Placement.Wanted(Math.max(copies, 0), view.wantsWitness() && !witnessed);
  }

  /** Returns the first replicas, a witness last. */
  List<Replica> first(Placement placement) {
    Placement.Wanted missing = missing();
    Set<String> present = view.replicas().stream().map(Replica::name).collect(Collectors.toSet());
    List<String> names =
        VolumeNaming.replicas(view.volume()).stream()
            .filter(name -> !present.contains(name))
            .toList();
    List<Replica> replicas = new ArrayList<>();
    for (int i = 0; i < placement.targets().size(); i++) {
      boolean witness = missing.witness() && i == missing.copies();
      replicas.add(replica(names.get(i), placement.targets().get(i), witness));
    }
    return replicas;
  }

  /** Returns one more replica, which must be rebuilt. */
  List<Replica> another(Placement placement) {
    return placement.targets().stream()
        .map(target -> replica(VolumeNaming.anotherReplica(view), target, false))
        .toList();
  }

  private Replica replica(String name, Placement.Target target, boolean witness) {
    Volume volume = view.volume();
    ReplicaSpec spec =
        ReplicaSpec.EMPTY
            .withVolume(volume.name())
            .withDataEngine(volume.spec().dataEngine())
            .withSize(new Expansion(view).ofNewReplica())
            .withNodeID(target.nodeID())
            .withDiskID(target.diskID())
            .withDiskPath(target.diskPath())
            .withDiskUUID(target.diskUUID())
            .withDataDirectoryName(name)
            .withWitness(witness);
    return Replica.of(name, spec)
        .withMetadata(VolumeNaming.part(name, volume).plusFinalizer(Replica.FINALIZER));
  }
}
