package dev.holdfast.volume.internal;

import dev.holdfast.resource.AttachmentTicket;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.Volume;
import java.util.Map;
import java.util.Optional;

/**
 * The tickets of a volume that is attached although it has no VolumeAttachment, because it was
 * imported or that was lost: as many as keep it as it is. One that was attached for maintenance
 * gets the ticket of that maintenance, which goes when it is done; else it is taken to be a
 * person's.
 */
final class ImportedTickets {
  private static final String DISABLE_FRONTEND = "disableFrontend";
  private static final String EXPANSION = "volume-expansion-controller";
  private static final String PERSON = "api";

  private ImportedTickets() {}

  static Map<String, AttachmentTicket> of(Volume volume) {
    if (volume.spec().nodeID().isEmpty()) {
      return Map.of();
    }
    AttachmentTicket ticket =
        volume.status().expansionRequired() ? expansion(volume) : person(volume);
    return Map.of(ticket.id(), ticket);
  }

  private static AttachmentTicket expansion(Volume volume) {
    OwnerReference owner =
        new OwnerReference(
            ResourceKind.API_VERSION,
            Volume.KIND.kind(),
            volume.name(),
            volume.metadata().uid(),
            false);
    return AttachmentTicket.EMPTY
        .withId(AttachmentTicket.idOf(EXPANSION, volume.name()))
        .withType(EXPANSION)
        .withParameters(Map.of(DISABLE_FRONTEND, "false"))
        .withOwnerReference(Optional.of(owner));
  }

  private static AttachmentTicket person(Volume volume) {
    String disabled = Boolean.toString(volume.spec().disableFrontend());
    return AttachmentTicket.EMPTY
        .withId(AttachmentTicket.idOf(PERSON, volume.spec().nodeID()))
        .withType(PERSON)
        .withNodeID(volume.spec().nodeID())
        .withParameters(Map.of(DISABLE_FRONTEND, disabled));
  }
}
