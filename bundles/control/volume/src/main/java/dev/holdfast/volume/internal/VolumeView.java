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
 * Input of a step of one volume.
 *
 * @param volume the volume
 * @param engine its active engine, empty if none exists
 * @param replicas of this volume
 * @param attachment its attachment, empty if none exists
 * @param nodes all nodes
 * @param allReplicas replicas of all volumes, for the space that they may need
 * @param rebuilds number of rebuilds of other volumes by node
 * @param snapshots summary of the volume's snapshots
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

  /** Returns the name of the engine that the volume uses, or will use after its creation. */
  String activeEngine() {
    String named = volume.status().activeEngine();
    return named.isEmpty()
        ? engine.map(Engine::name).orElseGet(() -> VolumeNaming.firstEngine(volume))
        : named;
  }

  /** Returns the usable replicas. A replica that a user deleted counts until it is replaced. */
  List<Replica> usable() {
    return replicas.stream()
        .filter(replica -> replica.spec().failedAt().isEmpty() && !isGoing(replica))
        .toList();
  }

  /**
   * Returns whether a replica's data is being removed. Before the first opening replicas hold no
   * data, so their nodes remove them immediately.
   */
  boolean isGoing(Replica replica) {
    return switch (volume.status().state()) {
      case CREATING, DELETING -> replica.isBeingDeleted();
      case ATTACHING, ATTACHED, DETACHING, DETACHED -> replica.isDisposable();
    };
  }

  /** Returns whether a deleted replica remains because the volume needs it. */
  boolean isHeld(Replica replica) {
    return replica.isBeingDeleted() && !isGoing(replica);
  }

  /** Returns the usable replicas with data. */
  List<Replica> usableCopies() {
    return usable().stream().filter(replica -> !replica.spec().witness()).toList();
  }

  /** Returns the wanted number of replicas with data; one on a shared disk. */
  int wantedCopies() {
    return isOnSharedDisk() ? 1 : volume.spec().numberOfReplicas();
  }

  boolean wantsWitness() {
    return volume.spec().witness() && !isOnSharedDisk();
  }

  /** Returns whether the engine has one replica on a disk that provides the redundancy. */
  boolean isOnSharedDisk() {
    return nodes.declared(volume.spec().dataEngine()).isSharedDisk()
        || replicas.stream().anyMatch(Replica::isOnSharedDisk);
  }

  boolean isReady(String node) {
    return nodes.isReady(node);
  }

  /** Returns the engine if it runs on the wanted node and reports on its present spec. */
  Optional<Engine> running() {
    return engine
        .filter(VolumeObserver::isInSync)
        .filter(e -> e.spec().desireState() == DesireState.RUNNING)
        .filter(e -> e.status().currentState() == InstanceState.RUNNING)
        .filter(e -> e.spec().nodeID().equals(volume.spec().nodeID()));
  }

  /** Returns the running engine's mode of a replica, ERR for an unknown one. */
  ReplicaMode mode(Replica replica) {
    return running()
        .map(e -> e.status().replicaModeMap().get(replica.name()))
        .orElse(ReplicaMode.ERR);
  }

  boolean isCurrent(Replica replica) {
    return mode(replica) == ReplicaMode.RW;
  }
}
