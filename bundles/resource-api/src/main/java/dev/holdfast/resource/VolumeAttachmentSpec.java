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

  List<FieldError> validateChange(VolumeAttachmentSpec earlier) {
    return new Checks().immutable(earlier.volume, volume, "spec.volume").errors();
  }
}
