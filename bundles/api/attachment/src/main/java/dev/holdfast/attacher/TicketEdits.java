package dev.holdfast.attacher;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Changes single tickets by compare-and-set against the version that was read, and reports each
 * change as an event.
 */
final class TicketEdits {
  private TicketEdits() {}

  static void put(VolumeAttachment attachment, AttachmentTicket ticket, ReconcileContext context)
      throws StorageException {
    Map<String, AttachmentTicket> tickets = copy(attachment);
    tickets.put(ticket.id(), ticket);
    write(attachment, tickets, context);
    context.events().normal(attachment, "TicketAdded", describe(ticket) + " asks for the volume");
  }

  static void move(VolumeAttachment attachment, AttachmentTicket ticket, ReconcileContext context)
      throws StorageException {
    Map<String, AttachmentTicket> tickets = copy(attachment);
    tickets.put(ticket.id(), ticket);
    write(attachment, tickets, context);
    context
        .events()
        .normal(
            attachment,
            "TicketMoved",
            describe(ticket) + " asks for the volume on node " + ticket.nodeID() + " now");
  }

  static void remove(
      VolumeAttachment attachment, AttachmentTicket ticket, String why, ReconcileContext context)
      throws StorageException {
    Map<String, AttachmentTicket> tickets = copy(attachment);
    tickets.remove(ticket.id());
    write(attachment, tickets, context);
    context
        .events()
        .normal(attachment, "TicketRemoved", describe(ticket) + " was taken back: " + why);
  }

  private static Map<String, AttachmentTicket> copy(VolumeAttachment attachment) {
    return new LinkedHashMap<>(attachment.spec().attachmentTickets());
  }

  private static void write(
      VolumeAttachment attachment, Map<String, AttachmentTicket> tickets, ReconcileContext context)
      throws StorageException {
    context.store().update(attachment.withSpec(attachment.spec().withAttachmentTickets(tickets)));
  }

  private static String describe(AttachmentTicket ticket) {
    return "ticket " + ticket.id() + " of type " + ticket.type();
  }
}
