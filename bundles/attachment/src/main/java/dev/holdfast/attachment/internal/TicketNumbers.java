package dev.holdfast.attachment.internal;

import dev.holdfast.resource.AttachmentTicket;
import dev.holdfast.resource.VolumeAttachment;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Gives a generation to tickets that came without one. It is the generation that the attachment
 * itself has after that write, so it was never given before, not even to a ticket of the same id
 * that went away.
 */
final class TicketNumbers {
  private TicketNumbers() {}

  /** Returns the attachment with every ticket numbered; the same when none was missing. */
  static VolumeAttachment complete(VolumeAttachment attachment) {
    long next = attachment.metadata().generation() + 1;
    Map<String, AttachmentTicket> tickets = new LinkedHashMap<>();
    attachment
        .spec()
        .attachmentTickets()
        .forEach(
            (id, ticket) ->
                tickets.put(id, ticket.generation() == 0 ? ticket.withGeneration(next) : ticket));
    return attachment.withSpec(attachment.spec().withAttachmentTickets(tickets));
  }
}
