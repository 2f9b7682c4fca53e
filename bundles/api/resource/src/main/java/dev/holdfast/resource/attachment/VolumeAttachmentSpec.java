package dev.holdfast.resource.attachment;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The tickets of a volume.
 *
 * @param volume the volume; never changes
 * @param attachmentTickets requests to attach the volume, by ticket id
 */
@RecordBuilder
public record VolumeAttachmentSpec(String volume, Map<String, AttachmentTicket> attachmentTickets)
    implements VolumeAttachmentSpecBuilder.With {
  /** Nothing set. */
  public static final VolumeAttachmentSpec EMPTY = new VolumeAttachmentSpec(null, null);

  /** Replaces null components by their defaults and copies the collections. */
  public VolumeAttachmentSpec {
    volume = Defaults.text(volume);
    attachmentTickets = Defaults.map(attachmentTickets);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    Checks checks =
        new Checks()
            .name(volume, "spec.volume")
            .that(
                metadata.name().equals(volume),
                "metadata.name",
                metadata.name(),
                "must be the name of the volume, as in spec.volume");
    attachmentTickets.forEach(
        (id, ticket) -> {
          String path = "spec.attachmentTickets[" + id + "]";
          checks
              .that(id.equals(ticket.id()), path + ".id", ticket.id(), "must be the ticket's key")
              .required(ticket.type(), path + ".type")
              .optionalName(ticket.nodeID(), path + ".nodeID");
          ticket
              .ownerReference()
              .ifPresent(
                  owner ->
                      checks
                          .required(owner.kind(), path + ".ownerReference.kind")
                          .name(owner.name(), path + ".ownerReference.name")
                          .required(owner.uid(), path + ".ownerReference.uid"));
        });
    return checks.errors();
  }

  List<FieldError> validateChange(VolumeAttachment earlier) {
    return new Checks().immutable(earlier.spec().volume(), volume, "spec.volume").errors();
  }

  /**
   * Numbers the tickets. A new or changed ticket receives a number above all numbers in the
   * attachment, including those of statuses whose ticket was removed. Therefore an old status never
   * matches a new ticket. Tickets without a number receive one too.
   */
  VolumeAttachmentSpec numbered(VolumeAttachment earlier) {
    long next = 1 + highestNumber(earlier);
    Map<String, AttachmentTicket> tickets = new LinkedHashMap<>();
    attachmentTickets.forEach(
        (id, ticket) -> {
          AttachmentTicket before = earlier.spec().attachmentTickets().get(id);
          boolean same = before != null && before.generation() > 0 && ticket.asksTheSameAs(before);
          tickets.put(id, ticket.withGeneration(same ? before.generation() : next));
        });
    return withAttachmentTickets(tickets);
  }

  private static long highestNumber(VolumeAttachment earlier) {
    return LongStream.concat(
            earlier.spec().attachmentTickets().values().stream()
                .mapToLong(AttachmentTicket::generation),
            earlier.status().attachmentTicketStatuses().values().stream()
                .mapToLong(AttachmentTicketStatus::generation))
        .reduce(earlier.metadata().generation(), Math::max);
  }

  /** Returns whether one of the tickets has no number. */
  public boolean hasUnnumberedTickets() {
    return attachmentTickets.values().stream().anyMatch(ticket -> ticket.generation() == 0);
  }

  /** Numbers the tickets of a new attachment. */
  VolumeAttachmentSpec numbered() {
    Map<String, AttachmentTicket> tickets = new LinkedHashMap<>();
    attachmentTickets.forEach(
        (id, ticket) -> tickets.put(id, ticket.withGeneration(Math.max(1, ticket.generation()))));
    return withAttachmentTickets(tickets);
  }
}
