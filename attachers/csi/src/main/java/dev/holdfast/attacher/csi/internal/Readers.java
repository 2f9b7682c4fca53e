package dev.holdfast.attacher.csi.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The tickets of readers on several nodes. All readers reach one engine over the network. Their
 * tickets therefore request the node of that engine, and {@code csiNode} names the node of the
 * reader.
 *
 * @param tickets all tickets of the volume
 * @param engineNode the node on which the volume is attached or will be attached; empty if none
 * @param nodes all nodes by name
 */
record Readers(Collection<AttachmentTicket> tickets, String engineNode, Map<String, Node> nodes) {
  private static final String NODE = "csiNode";
  private static final String MODE = "csiAccessMode";
  private static final String MANY_READERS = "MULTI_NODE_READER_ONLY";

  static Readers of(VolumeAttachment attachment, ResourceStore store) throws StorageException {
    return new Readers(
        attachment.spec().attachmentTickets().values(),
        store.get(Volume.KIND, attachment.name()).map(v -> v.spec().nodeID()).orElse(""),
        store.list(Node.KIND, LabelSelector.ALL).items().stream()
            .collect(Collectors.toMap(Node::name, Function.identity())));
  }

  /** Returns whether a ticket permits reads of its volume on other nodes too. */
  static boolean isReader(AttachmentTicket ticket) {
    return MANY_READERS.equals(ticket.parameters().get(MODE)) && !ticket.nodeID().isEmpty();
  }

  /**
   * Returns the reader's ticket with the node that it must request; empty if the node stays the
   * same.
   */
  Optional<AttachmentTicket> moved(AttachmentTicket reader) {
    if (!engineNode.isEmpty() && !isLost(engineNode)) {
      return Optional.of(reader.withNodeID(engineNode));
    }
    String asked = reader.nodeID();
    boolean keeps = !isLost(asked) || tickets.stream().anyMatch(ticket -> isBound(ticket, asked));
    return keeps ? Optional.empty() : firstReaderThatIsReady().map(reader::withNodeID);
  }

  /** Returns whether a ticket keeps the volume on a node that does not report. */
  private static boolean isBound(AttachmentTicket ticket, String node) {
    boolean itsOwn = !isReader(ticket) || nodeOf(ticket).equals(node);
    return itsOwn && ticket.nodeID().equals(node);
  }

  private Optional<String> firstReaderThatIsReady() {
    return tickets.stream()
        .filter(Readers::isReader)
        .map(Readers::nodeOf)
        .filter(this::isReady)
        .sorted()
        .findFirst();
  }

  /**
   * Returns the node that uses the ticket. It can differ from the node that the ticket requests.
   */
  static String nodeOf(AttachmentTicket ticket) {
    return ticket.parameters().getOrDefault(NODE, ticket.nodeID());
  }

  private boolean isReady(String node) {
    return nodes.containsKey(node)
        && Condition.isTrue(nodes.get(node).status().conditions(), Condition.READY);
  }

  /**
   * Returns whether a node was deleted or does not report. A node that reports a fault is not lost.
   */
  private boolean isLost(String node) {
    return !nodes.containsKey(node)
        || Condition.find(nodes.get(node).status().conditions(), Condition.READY)
            .filter(condition -> condition.status() == Condition.Status.UNKNOWN)
            .isPresent();
  }
}
