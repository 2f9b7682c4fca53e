package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.Disk;
import dev.holdfast.client.Scheduling.Drained;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.Node;
import java.util.Collection;

/** Shows the result of a request to cordon, uncordon or drain a node or a disk. Thread-safe. */
public final class SchedulingViews {
  private final ResourceJson json = new ResourceJson();

  /** Shows that a node receives no new replicas. */
  public Output cordoned(Node node) {
    return new Output(
        () -> "node " + node.name() + " takes no new replicas; those that it has stay",
        () -> json.tree(node));
  }

  /** Shows that a node takes replicas. */
  public Output uncordoned(Node node) {
    return new Output(() -> "node " + node.name() + " takes replicas", () -> json.tree(node));
  }

  /** Shows the remaining content of a drained node. */
  public Output drained(Drained drained) {
    return new Output(
        () -> state("node " + drained.node(), drained.replicas()) + attached(drained),
        () -> tree(drained));
  }

  private static String attached(Drained drained) {
    return drained.attachedVolumes().isEmpty()
        ? ""
        : "\nAttached there, until their workloads move: "
            + String.join(", ", drained.attachedVolumes().stream().sorted().toList());
  }

  private static String state(String place, Collection<String> replicas) {
    return switch (replicas.size()) {
      case 0 -> place + " has no replicas and takes no new ones";
      case 1 -> place + " takes no new replicas; 1 is to leave: " + names(replicas);
      default ->
          place
              + " takes no new replicas; "
              + replicas.size()
              + " are to leave: "
              + names(replicas);
    };
  }

  private static String names(Collection<String> replicas) {
    return String.join(", ", replicas.stream().sorted().toList());
  }

  private ObjectNode tree(Drained drained) {
    ObjectNode tree = json.mapper().createObjectNode().put("node", drained.node());
    drained.replicas().stream().sorted().forEach(tree.putArray("replicas")::add);
    drained.attachedVolumes().stream().sorted().forEach(tree.putArray("attachedVolumes")::add);
    return tree;
  }

  /** Shows that a disk takes no new replicas. */
  public Output diskCordoned(Disk disk) {
    return ofDisk(disk, " takes no new replicas; those that it has stay");
  }

  /** Shows that a disk takes replicas. */
  public Output diskUncordoned(Disk disk) {
    return ofDisk(disk, " takes replicas");
  }

  /** Shows the remaining replicas of a drained disk. */
  public Output diskDrained(Disk disk) {
    return new Output(() -> state(place(disk), disk.replicas()), () -> tree(disk));
  }

  private Output ofDisk(Disk disk, String state) {
    return new Output(() -> place(disk) + state, () -> tree(disk));
  }

  private static String place(Disk disk) {
    return "disk " + disk.id() + " of " + disk.node();
  }

  private ObjectNode tree(Disk disk) {
    ObjectNode tree =
        json.mapper()
            .createObjectNode()
            .put("node", disk.node())
            .put("id", disk.id())
            .put("allowScheduling", disk.spec().allowScheduling())
            .put("evictionRequested", disk.spec().evictionRequested());
    disk.replicas().forEach(tree.putArray("replicas")::add);
    return tree;
  }
}
