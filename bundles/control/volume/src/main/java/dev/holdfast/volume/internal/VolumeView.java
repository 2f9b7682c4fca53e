package dev.holdfast.volume.internal;

import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Volume;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that a step of one volume rests on.
 *
 * @param volume the volume
 * @param engine its active engine, empty while there is none
 * @param replicas of this volume
 * @param attachment its tickets, empty while there is none
 * @param nodes all nodes
 * @param allReplicas of all volumes, for the space that they may come to take
 * @param rebuilds how many replicas of other volumes are being rebuilt, by node
 * @param snapshots what is known of the volume's
 * @param settings in force
 * @param now the time
 */
record VolumeView(
    Volume volume,
    Optional<Engine> engine,
    List<Replica> replicas,
    Optional<VolumeAttachment> attachment,
    NodeInventory nodes,
    List<Replica> allReplicas,
    Map<String, Integer> rebuilds,
    SnapshotSummary snapshots,
    VolumeSettings settings,
    Instant now) {
  VolumeView {
    replicas = List.copyOf(replicas);
    allReplicas = List.copyOf(allReplicas);
    rebuilds = Map.copyOf(rebuilds);
  }

  VolumeView withReplicas(List<Replica> changed) {
    return new VolumeView(
        volume,
        engine,
        changed,
        attachment,
        nodes,
        allReplicas,
        rebuilds,
        snapshots,
        settings,
        now);
  }

  VolumeView withEngine(Optional<Engine> changed) {
    return new VolumeView(
        volume,
        changed,
        replicas,
        attachment,
        nodes,
        allReplicas,
        rebuilds,
        snapshots,
        settings,
        now);
  }

  VolumeView withAttachment(Optional<VolumeAttachment> changed) {
    return new VolumeView(
        volume, engine, replicas, changed, nodes, allReplicas, rebuilds, snapshots, settings, now);
  }

  /** The name of the engine that the volume follows, or will follow once it is created. */
  String activeEngine() {
    String named = volume.status().activeEngine();
    return named.isEmpty()
        ? engine.map(Engine::name).orElseGet(() -> VolumeNaming.firstEngine(volume))
        : named;
  }

  /** Replicas that were not given up. One that a user deleted counts until it is replaced. */
  List<Replica> usable() {
    return replicas.stream()
        .filter(replica -> replica.spec().failedAt().isEmpty() && !isGoing(replica))
        .toList();
  }

  /**
   * Whether a replica's data is being removed. Before the first opening no replica holds anything,
   * so its node removes it without asking.
   */
  boolean isGoing(Replica replica) {
    return switch (volume.status().state()) {
      case CREATING, DELETING -> replica.isBeingDeleted();
      case ATTACHING, ATTACHED, DETACHING, DETACHED -> replica.isDisposable();
    };
  }

  /** Whether a replica was deleted and stays until the volume can do without it. */
  boolean isHeld(Replica replica) {
    return replica.isBeingDeleted() && !isGoing(replica);
  }

  /** Replicas that were not given up and keep data. */
  List<Replica> usableCopies() {
    return usable().stream().filter(replica -> !replica.spec().witness()).toList();
  }

  /** How many replicas with data make the volume complete; on a shared disk, one. */
  int wantedCopies() {
    return isOnSharedDisk() ? 1 : volume.spec().numberOfReplicas();
  }

  boolean wantsWitness() {
    return volume.spec().witness() && !isOnSharedDisk();
  }

  /** Whether the engine keeps one replica on a disk that provides the redundancy. */
  boolean isOnSharedDisk() {
    return nodes.declared(volume.spec().dataEngine()).isSharedDisk()
        || replicas.stream().anyMatch(Replica::isOnSharedDisk);
  }

  boolean isReady(String node) {
    return nodes.isReady(node);
  }

  /** The engine, while it runs on the wanted node and reports on its present spec. */
  Optional<Engine> running() {
    return engine
        .filter(VolumeObserver::isInSync)
        .filter(e -> e.spec().desireState() == DesireState.RUNNING)
        .filter(e -> e.status().currentState() == InstanceState.RUNNING)
        .filter(e -> e.spec().nodeID().equals(volume.spec().nodeID()));
  }

  /** Returns the running engine's mode of a replica, ERR for one that it does not know. */
  ReplicaMode mode(Replica replica) {
    return running()
        .map(e -> e.status().replicaModeMap().get(replica.name()))
        .orElse(ReplicaMode.ERR);
  }

  boolean isCurrent(Replica replica) {
    return mode(replica) == ReplicaMode.RW;
  }
}
