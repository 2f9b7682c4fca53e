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
 * Input of a decision about a volume's attachment.
 *
 * @param attachment the tickets
 * @param volume the volume, empty if it does not exist
 * @param engines its active engine, which contains both nodes during a live migration; empty if
 *     none exists
 * @param nodes all nodes
 * @param replicas of the volume
 * @param types the attacher types that are installed, by name
 * @param now the time, for transition times
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
   * Returns whether the volume is usable only on nodes with the replica's disk, because its engine
   * has one replica.
   */
  boolean isOnDiskOfVolume(Replica replica) {
    return replica.isScheduled()
        && (replica.isOnSharedDisk()
            || EngineDeclaration.of(replica.spec().dataEngine(), nodes).isSharedDisk());
  }

  String diskOf(Replica replica) {
    return replica.isOnSharedDisk() ? replica.spec().diskUUID() : replica.spec().diskID();
  }

  /** Lists the nodes with a replica's disk, for messages. */
  String nodesWith(Replica replica) {
    List<String> names =
        nodes.stream()
            .filter(node -> replica.diskOn(node).isPresent())
            .map(Node::name)
            .sorted()
            .toList();
    return names.isEmpty() ? "a node that has it" : "node " + String.join(" or ", names);
  }

  /** Returns the replicas that the engine may still use. */
  List<Replica> usableReplicas() {
    return replicas.stream()
        .filter(replica -> replica.spec().failedAt().isEmpty() && !replica.isDisposable())
        .toList();
  }
}
