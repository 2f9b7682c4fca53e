package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * The tickets of a volume.
 *
 * @param volume the volume; never changes
 * @param attachmentTickets who wants it attached, by ticket id
 */
@RecordBuilder
public record VolumeAttachmentSpec(String volume, Map<String, AttachmentTicket> attachmentTickets)
    implements VolumeAttachmentSpecBuilder.With {
  /** Nothing set. */
  public static final VolumeAttachmentSpec EMPTY = new VolumeAttachmentSpec(null, null);

  /** Replaces what is null by its default and copies the collections. */
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
        });
    return checks.errors();
  }

  /** An old status must never answer a new or changed ticket, so their generations must differ. */
  List<FieldError> validateChange(VolumeAttachment earlier) {
    Checks checks = new Checks().immutable(earlier.spec().volume(), volume, "spec.volume");
    Map<String, AttachmentTicketStatus> statuses = earlier.status().attachmentTicketStatuses();
    attachmentTickets.forEach(
        (id, ticket) -> {
          AttachmentTicket before =
              earlier.spec().attachmentTickets().getOrDefault(id, AttachmentTicket.EMPTY);
          long told = statuses.getOrDefault(id, AttachmentTicketStatus.EMPTY).generation();
          boolean changed = !ticket.withGeneration(0).equals(before.withGeneration(0));
          boolean old = ticket.generation() == before.generation() || ticket.generation() == told;
          checks.that(
              !changed || ticket.generation() == 0 || !old,
              "spec.attachmentTickets[" + id + "].generation",
              ticket.generation(),
              "must be another than before when the ticket is new or changed; 0 lets the system"
                  + " number it");
        });
    return checks.errors();
  }
}
