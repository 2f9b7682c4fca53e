package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.store.ResourceList;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Shows replicas, tickets and events of all volumes. Thread-safe. */
public final class ClusterViews {
  private final Clock clock;
  private final ResourceJson json = new ResourceJson();

  /** Shows ages by a clock. */
  public ClusterViews(Clock clock) {
    this.clock = clock;
  }

  /** Shows replicas. */
  public Output replicas(ResourceList<Replica> replicas) {
    return new Output(
        () -> {
          Table table = new Table("NAME", "VOLUME", "NODE", "DISK", "STATE", "MODE", "SIZE", "AGE");
          for (Replica replica : replicas.items()) {
            table.row(
                replica.name(),
                replica.spec().volume(),
                replica.spec().nodeID(),
                replica.isOnSharedDisk() ? replica.spec().diskUUID() : replica.spec().diskID(),
                state(replica),
                replica.status().mode(),
                SizeText.rounded(replica.status().actualSize()),
                SizeText.age(replica.metadata(), clock));
          }
          return table.orIfEmpty("No replicas.");
        },
        () -> json.listTree(Replica.KIND, replicas.items(), replicas.resourceVersion()));
  }

  private static String state(Replica replica) {
    if (replica.isBeingDeleted()) {
      return "deleting";
    }
    if (replica.spec().failedAt().isPresent()) {
      return "failed";
    }
    if (replica.spec().healthyAt().isEmpty()) {
      return "incomplete";
    }
    return replica.spec().evictionRequested() ? "leaving" : "healthy";
  }

  /** Shows events, the latest one last. */
  public Output events(List<Event> events) {
    List<Event> ordered = events.stream().sorted(Comparator.comparing(ClusterViews::time)).toList();
    return new Output(
        () -> {
          Table table = new Table("LAST SEEN", "TYPE", "REASON", "OBJECT", "COUNT", "MESSAGE");
          for (Event event : ordered) {
            table.row(
                SizeText.shortened(Duration.between(time(event), clock.instant())),
                event.spec().type(),
                event.spec().reason(),
                event.spec().regarding().kind() + "/" + event.spec().regarding().name(),
                event.spec().count(),
                event.spec().message());
          }
          return table.orIfEmpty("No events.");
        },
        () -> json.listTree(Event.KIND, ordered, ""));
  }

  private static Instant time(Event event) {
    return event
        .spec()
        .lastTimestamp()
        .or(event.metadata()::creationTimestamp)
        .orElse(Instant.EPOCH);
  }

  /** Shows the tickets of volumes. */
  public Output tickets(List<VolumeAttachment> attachments) {
    return new Output(() -> ticketTable(attachments), () -> ticketTree(attachments));
  }

  private static String ticketTable(List<VolumeAttachment> attachments) {
    Table table = new Table("VOLUME", "TICKET", "ATTACHER", "NODE", "SATISFIED", "REASON");
    for (VolumeAttachment attachment : attachments) {
      for (AttachmentTicket ticket : attachment.spec().attachmentTickets().values()) {
        Optional<AttachmentTicketStatus> status = status(attachment, ticket);
        table.row(
            attachment.spec().volume(),
            ticket.id(),
            ticket.type(),
            ticket.nodeID().isEmpty() ? "any" : ticket.nodeID(),
            status.filter(AttachmentTicketStatus::satisfied).isPresent(),
            status.map(ClusterViews::reason).orElse(""));
      }
    }
    return table.orIfEmpty("No tickets: no volume is requested.");
  }

  private static Optional<AttachmentTicketStatus> status(
      VolumeAttachment attachment, AttachmentTicket ticket) {
    return Optional.ofNullable(attachment.status().attachmentTicketStatuses().get(ticket.id()))
        .filter(status -> status.describes(ticket));
  }

  private static String reason(AttachmentTicketStatus status) {
    return Condition.find(status.conditions(), AttachmentTicketStatus.SATISFIED_CONDITION)
        .map(Condition::reason)
        .orElse("");
  }

  private ObjectNode ticketTree(List<VolumeAttachment> attachments) {
    ObjectNode list = json.mapper().createObjectNode();
    ArrayNode items = list.putArray("items");
    for (VolumeAttachment attachment : attachments) {
      ObjectNode tree = json.tree(attachment);
      for (String id : attachment.spec().attachmentTickets().keySet()) {
        ObjectNode item = items.addObject().put("volume", attachment.spec().volume());
        item.set("ticket", tree.path("spec").path("attachmentTickets").path(id));
        item.set("status", tree.path("status").path("attachmentTicketStatuses").path(id));
      }
    }
    return list;
  }
}
