package dev.holdfast.volume.internal;

import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.volume.Volume;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The tickets of a volume that is attached although it has no VolumeAttachment, because it was
 * imported or that was lost: as many as keep it as it is. One that was attached for maintenance
 * gets the ticket of that maintenance, which goes when it is done. One that was attached for a pod
 * gets the pod's ticket again, by which the CSI driver finds it. Else the ticket counts as an
 * administrator's, and is marked, because it may be a pod's after all.
 */
final class ImportedTickets {
  private static final String DISABLE_FRONTEND = "disableFrontend";
  private static final String EXPANSION = "volume-expansion-controller";
  private static final String PERSON = "api";
  private static final String CSI = "csi-attacher";

  /** The id of a pod's ticket: the name of Kubernetes' own VolumeAttachment. */
  private static final Pattern CSI_TICKET = Pattern.compile("csi-[0-9a-f]{64}");

  /** Marks a ticket without a request. */
  private static final String IMPORTED = "imported";

  private ImportedTickets() {}

  static Map<String, AttachmentTicket> of(Volume volume) {
    if (volume.spec().nodeID().isEmpty()) {
      return Map.of();
    }
    AttachmentTicket ticket = ticket(volume);
    return Map.of(ticket.id(), ticket);
  }

  private static AttachmentTicket ticket(Volume volume) {
    if (CSI_TICKET.matcher(volume.spec().lastAttachedBy()).matches()) {
      return pod(volume);
    }
    return volume.status().expansionRequired() ? expansion(volume) : person(volume);
  }

  private static AttachmentTicket pod(Volume volume) {
    return AttachmentTicket.EMPTY
        .withId(volume.spec().lastAttachedBy())
        .withType(CSI)
        .withNodeID(volume.spec().nodeID())
        .withParameters(Map.of(DISABLE_FRONTEND, "false", IMPORTED, "true"));
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
        .withParameters(Map.of(DISABLE_FRONTEND, disabled, IMPORTED, "true"));
  }
}
