package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Engine;
import dev.holdfast.resource.Node;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.Volume;
import dev.holdfast.resource.VolumeAttachment;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All that a step of one volume rests on.
 *
 * @param volume the volume
 * @param engine its engine, empty while there is none
 * @param replicas of this volume
 * @param attachment its tickets, empty while there is none
 * @param nodes all nodes
 * @param allReplicas of all volumes, for the space that they may come to take
 * @param settings of the scheduler
 * @param now the time
 */
record VolumeView(
    Volume volume,
    Optional<Engine> engine,
    List<Replica> replicas,
    Optional<VolumeAttachment> attachment,
    List<Node> nodes,
    List<Replica> allReplicas,
    SchedulerSettings settings,
    Instant now) {
  VolumeView {
    replicas = List.copyOf(replicas);
    nodes = List.copyOf(nodes);
    allReplicas = List.copyOf(allReplicas);
  }

  /** Replicas that were not given up. */
  List<Replica> usable() {
    return replicas.stream()
        .filter(replica -> replica.spec().failedAt().isEmpty() && !replica.isBeingDeleted())
        .toList();
  }

  boolean isReady(String node) {
    return nodes.stream()
        .filter(n -> n.name().equals(node))
        .anyMatch(n -> Condition.isTrue(n.status().conditions(), "Ready"));
  }
}
