package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that a decision about one volume's attachment rests on.
 *
 * @param attachment the tickets
 * @param volume the volume, empty when there is none
 * @param engines its active engine, which shows both nodes while the volume moves in use; empty
 *     while there is none
 * @param nodes all nodes
 * @param replicas of the volume
 * @param types the attacher types that are installed, by name
 * @param now for transition times
 */
record AttachmentView(
    VolumeAttachment attachment,
    Optional<Volume> volume,
    List<Engine> engines,
    List<Node> nodes,
    List<Replica> replicas,
    Map<String, AttacherProvider> types,
    Instant now) {
  AttachmentView {
    engines = List.copyOf(engines);
    nodes = List.copyOf(nodes);
    replicas = List.copyOf(replicas);
    types = Map.copyOf(types);
  }

  Optional<Node> node(String name) {
    return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
  }

  boolean isReady(String name) {
    return node(name).filter(BlockedReason::isReady).isPresent();
  }

  /**
   * Whether the volume can be used only where the replica's disk is: its engine has one replica.
   */
  boolean isOnDiskOfVolume(Replica replica) {
    return replica.isScheduled()
        && (replica.isOnSharedDisk()
            || EngineDeclaration.of(replica.spec().dataEngine(), nodes).isSharedDisk());
  }

  String diskOf(Replica replica) {
    return replica.isOnSharedDisk() ? replica.spec().diskUUID() : replica.spec().diskID();
  }

  /** Lists the nodes that have a replica's disk, for messages. */
  String nodesWith(Replica replica) {
    List<String> names =
        nodes.stream()
            .filter(node -> replica.diskOn(node).isPresent())
            .map(Node::name)
            .sorted()
            .toList();
    return names.isEmpty() ? "a node that has it" : "node " + String.join(" or ", names);
  }

  /** Replicas that the engine may still use. */
  List<Replica> usableReplicas() {
    return replicas.stream()
        .filter(replica -> replica.spec().failedAt().isEmpty() && !replica.isDisposable())
        .toList();
  }
}
