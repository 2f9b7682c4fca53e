package dev.holdfast.csi.internal.server;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The driver's tickets. A ticket records the parameters of its request, so that a later call with
 * other parameters is detected. Stateless.
 */
public final class CsiTickets {
  private static final String NODE = WorkloadTickets.NODE_PARAMETER;
  private static final String READ_ONLY = "csiReadonly";
  private static final String MODE = "csiAccessMode";
  private static final String TYPE = "csiAccessType";

  private CsiTickets() {}

  /**
   * Creates the ticket for a volume on a node.
   *
   * @param attachedTo wanted node of the engine: the node, or for readers the present node of the
   *     engine
   */
  public static AttachmentTicket ticket(
      String volume, String node, String attachedTo, RequestedAccess access, boolean readOnly) {
    Map<String, String> parameters = new TreeMap<>();
    parameters.put("disableFrontend", "false");
    parameters.put(NODE, node);
    parameters.put(READ_ONLY, Boolean.toString(readOnly));
    parameters.put(MODE, access.mode().name());
    parameters.put(TYPE, access.block() ? "block" : "mount");
    return AttachmentTicket.EMPTY
        .withId(CsiNames.ticketId(volume, node))
        .withType(CsiNames.TICKET_TYPE)
        .withNodeID(attachedTo)
        .withParameters(parameters);
  }

  /**
   * Returns the tickets of workloads from this driver and from drivers with the same ticket type.
   */
  public static List<AttachmentTicket> of(VolumeAttachment attachment) {
    return stream(attachment).toList();
  }

  private static Stream<AttachmentTicket> stream(VolumeAttachment attachment) {
    return attachment.spec().attachmentTickets().values().stream()
        .filter(ticket -> ticket.type().equals(CsiNames.TICKET_TYPE));
  }

  /** Returns the node that a ticket is for. */
  public static String node(AttachmentTicket ticket) {
    return ticket.parameters().getOrDefault(NODE, ticket.nodeID());
  }

  /**
   * Returns whether a ticket was requested with the same parameters. A ticket that was derived from
   * an attached volume has no parameters.
   */
  public static boolean isLike(AttachmentTicket ticket, AttachmentTicket other) {
    if (!ticket.parameters().containsKey(MODE)) {
      return true;
    }
    return ticket.parameters().getOrDefault(READ_ONLY, "").equals(other.parameters().get(READ_ONLY))
        && ticket.parameters().getOrDefault(MODE, "").equals(other.parameters().get(MODE))
        && ticket.parameters().getOrDefault(TYPE, "").equals(other.parameters().get(TYPE));
  }

  /** Returns a description of a ticket's parameters. */
  public static String words(AttachmentTicket ticket) {
    return ticket.parameters().getOrDefault(MODE, "unknown mode")
        + ", "
        + ticket.parameters().getOrDefault(TYPE, "unknown type")
        + (Boolean.parseBoolean(ticket.parameters().get(READ_ONLY)) ? ", read-only" : "");
  }

  /**
   * Returns whether a ticket permits tickets for other nodes. A ticket that was derived from an
   * attached volume has no parameters, and counts as compatible because its request succeeded.
   */
  public static boolean sharesWith(AttachmentTicket ticket, RequestedAccess access) {
    String mode = access.mode().name();
    return access.onManyNodes() && ticket.parameters().getOrDefault(MODE, mode).equals(mode);
  }

  /** Returns the nodes of every volume's tickets, sorted. */
  public static Map<String, List<String>> nodesByVolume(ResourceStore store)
      throws StorageException {
    Map<String, List<String>> nodes = new HashMap<>();
    for (VolumeAttachment attachment :
        store.list(VolumeAttachment.KIND, LabelSelector.ALL).items()) {
      nodes.put(
          attachment.spec().volume(),
          stream(attachment).map(CsiTickets::node).distinct().sorted().toList());
    }
    return nodes;
  }
}
