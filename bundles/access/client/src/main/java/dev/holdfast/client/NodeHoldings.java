package dev.holdfast.client;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Data that the cluster would lose with a node.
 *
 * @param replicas names of the replicas on the node
 * @param lastCopies names of the volumes whose only good copy is on the node
 * @param attachedVolumes names of the volumes whose wanted node it is
 */
record NodeHoldings(List<String> replicas, Set<String> lastCopies, Set<String> attachedVolumes) {
  private static final int MOST_NAMED = 5;

  static NodeHoldings of(String node, ResourceStore store) throws StorageException {
    List<Replica> all = store.list(Replica.KIND, LabelSelector.ALL).items();
    List<Node> nodes = store.list(Node.KIND, LabelSelector.ALL).items();
    List<Replica> here = all.stream().filter(r -> isOnlyOn(r, node, nodes)).toList();
    Set<String> elsewhere =
        all.stream()
            .filter(r -> !here.contains(r) && isGood(r))
            .map(r -> r.spec().volume())
            .collect(Collectors.toSet());
    Set<String> last =
        here.stream().map(r -> r.spec().volume()).collect(Collectors.toCollection(TreeSet::new));
    last.removeAll(elsewhere);
    return new NodeHoldings(
        here.stream().map(Replica::name).sorted().toList(),
        last,
        store.list(VolumeAttachment.KIND, LabelSelector.ALL).items().stream()
            .filter(attachment -> wants(attachment, node))
            .map(attachment -> attachment.spec().volume())
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  /**
   * Returns whether a replica exists only on the node. The cluster loses a replica on a shared disk
   * with the last node that has the disk.
   */
  private static boolean isOnlyOn(Replica replica, String name, List<Node> nodes) {
    if (!replica.isOnSharedDisk()) {
      return replica.spec().nodeID().equals(name);
    }
    List<String> having =
        nodes.stream().filter(node -> replica.diskOn(node).isPresent()).map(Node::name).toList();
    return having.equals(List.of(name));
  }

  /** Returns whether the replica is a complete copy. A witness has no data. */
  private static boolean isGood(Replica replica) {
    return replica.spec().healthyAt().isPresent()
        && replica.spec().failedAt().isEmpty()
        && !replica.spec().witness();
  }

  private static boolean wants(VolumeAttachment attachment, String node) {
    return attachment.spec().attachmentTickets().values().stream()
        .map(AttachmentTicket::nodeID)
        .anyMatch(node::equals);
  }

  boolean isEmpty() {
    return replicas.isEmpty() && attachedVolumes.isEmpty();
  }

  /** Returns for example {@code 2 replicas (a-r-1, b-r-1), the last good copy of volume a}. */
  String text() {
    List<String> parts = new ArrayList<>();
    if (!replicas.isEmpty()) {
      parts.add(
          replicas.size()
              + (replicas.size() == 1 ? " replica (" : " replicas (")
              + named(replicas)
              + ")");
    }
    if (!lastCopies.isEmpty()) {
      parts.add("the last good copy of " + named(List.copyOf(new TreeSet<>(lastCopies))));
    }
    if (!attachedVolumes.isEmpty()) {
      parts.add("attachments of " + named(List.copyOf(new TreeSet<>(attachedVolumes))));
    }
    return String.join(", ", parts);
  }

  private static String named(List<String> names) {
    String shown = names.stream().sorted().limit(MOST_NAMED).collect(Collectors.joining(", "));
    int hidden = names.size() - MOST_NAMED;
    return hidden > 0 ? shown + " and " + hidden + " more" : shown;
  }
}
