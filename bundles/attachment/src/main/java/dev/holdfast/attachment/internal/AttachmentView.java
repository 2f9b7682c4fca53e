package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherType;
import dev.holdfast.resource.Engine;
import dev.holdfast.resource.Node;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.Volume;
import dev.holdfast.resource.VolumeAttachment;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that a decision about one volume's attachment rests on.
 *
 * @param attachment the tickets
 * @param volume the volume, empty when there is none
 * @param engine its engine, empty when there is none
 * @param nodes all nodes
 * @param replicas of the volume
 * @param types the attacher types that are installed, by name
 * @param now for transition times
 */
record AttachmentView(
    VolumeAttachment attachment,
    Optional<Volume> volume,
    Optional<Engine> engine,
    List<Node> nodes,
    List<Replica> replicas,
    Map<String, AttacherType> types,
    Instant now) {
  AttachmentView {
    nodes = List.copyOf(nodes);
    replicas = List.copyOf(replicas);
    types = Map.copyOf(types);
  }

  Optional<Node> node(String name) {
    return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
  }
}
