package dev.holdfast.volume.internal;

import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.WorkloadAttachments;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Tickets for a volume that is attached without a VolumeAttachment, because it was imported or the
 * attachment was lost. The tickets keep its present state. If the orchestrator has the volume
 * attached for pods, or it was last attached for a pod, it receives their tickets again, which the
 * CSI driver finds. A volume attached for maintenance receives the ticket of that maintenance,
 * which ends with it. Otherwise the ticket counts as an administrator's and is marked, because it
 * may still belong to a pod.
 */
final class ImportedTickets {
  private static final String DISABLE_FRONTEND = "disableFrontend";
  private static final String EXPANSION = "volume-expansion-controller";
  private static final String PERSON = "api";

  /** The id of a pod's ticket, equal to the name of Kubernetes' VolumeAttachment. */
  private static final Pattern CSI_TICKET = Pattern.compile("csi-[0-9a-f]{64}");

  /** Marks a ticket that was not requested. */
  private static final String IMPORTED = "imported";

  private ImportedTickets() {}

  /** Returns the VolumeAttachment that a volume gets. */
  static VolumeAttachment attachment(Volume volume, List<WorkloadAttachments.Attached> workloads) {
    String name = volume.name();
    return VolumeAttachment.of(name, new VolumeAttachmentSpec(name, of(volume, workloads)))
        .withMetadata(VolumeNaming.part(name, volume));
  }

  /** Returns whether an orchestrator may have a volume attached; a new volume is not. */
  static boolean mayBeInUse(Volume volume) {
    return volume.status().state() != VolumeState.CREATING || !volume.spec().nodeID().isEmpty();
  }

  /**
   * Returns the tickets by id.
   *
   * @param workloads attachments of the orchestrator, sorted by node
   */
  private static Map<String, AttachmentTicket> of(
      Volume volume, List<WorkloadAttachments.Attached> workloads) {
    if (!workloads.isEmpty()) {
      return pods(volume, workloads);
    }
    if (volume.spec().nodeID().isEmpty()) {
      return Map.of();
    }
    AttachmentTicket ticket = ticket(volume);
    return Map.of(ticket.id(), ticket);
  }

  /**
   * Returns the tickets of pods. The engine stays on its node if a pod is there; other pods reach
   * it over the network.
   */
  private static Map<String, AttachmentTicket> pods(
      Volume volume, List<WorkloadAttachments.Attached> workloads) {
    List<String> nodes = workloads.stream().map(WorkloadAttachments.Attached::node).toList();
    String engine = volume.spec().nodeID();
    String attachedTo = nodes.contains(engine) ? engine : nodes.get(0);
    Map<String, AttachmentTicket> tickets = new TreeMap<>();
    for (WorkloadAttachments.Attached workload : workloads) {
      boolean goesThere = workload.node().equals(volume.spec().migrationNodeID());
      String node = goesThere ? workload.node() : attachedTo;
      tickets.put(workload.ticket(), pod(workload.ticket(), node, workload.node()));
    }
    return tickets;
  }

  private static AttachmentTicket ticket(Volume volume) {
    String last = volume.spec().lastAttachedBy();
    if (CSI_TICKET.matcher(last).matches()) {
      return pod(last, volume.spec().nodeID(), volume.spec().nodeID());
    }
    return volume.status().expansionRequired() ? expansion(volume) : person(volume);
  }

  private static AttachmentTicket pod(String id, String attachedTo, String podNode) {
    return AttachmentTicket.EMPTY
        .withId(id)
        .withType(WorkloadTickets.TYPE)
        .withNodeID(attachedTo)
        .withParameters(
            Map.of(
                DISABLE_FRONTEND,
                "false",
                IMPORTED,
                "true",
                WorkloadTickets.NODE_PARAMETER,
                podNode));
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
