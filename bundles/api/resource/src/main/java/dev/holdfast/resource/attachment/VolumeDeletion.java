package dev.holdfast.resource.attachment;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Volume;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Rules for the deletion of a volume: a volume in use is not deleted. Pure functions of the volume
 * and its tickets.
 */
public final class VolumeDeletion {
  /**
   * Ticket types of maintenance. Their attachers remove the tickets when the volume is being
   * deleted. A ticket of any other type is a use of the volume.
   */
  private static final List<String> MAINTENANCE =
      List.of(
          "snapshot-controller",
          "volume-clone-controller",
          "volume-content-controller",
          "volume-eviction-controller",
          "volume-expansion-controller",
          "volume-rebuilding-controller",
          "volume-restore-controller");

  private static final String PERSON = "api";

  private VolumeDeletion() {}

  /** Returns the tickets of workloads and users by id. */
  public static List<AttachmentTicket> users(Optional<VolumeAttachment> attachment) {
    return attachment.stream()
        .flatMap(a -> a.spec().attachmentTickets().values().stream())
        .filter(ticket -> !MAINTENANCE.contains(ticket.type()))
        .sorted(Comparator.comparing(AttachmentTicket::id))
        .toList();
  }

  /** Returns whether a volume is attached, being attached or being detached. */
  public static boolean isAttached(Volume volume) {
    return !volume.spec().nodeID().isEmpty()
        || !volume.status().currentNodeID().isEmpty()
        || !volume.status().currentMigrationNodeID().isEmpty()
        || !volume.status().servingEndpoints().isEmpty();
  }

  /**
   * Rejects the deletion of a volume that a workload or a user has attached. Permits a deletion
   * that was already requested.
   *
   * @param attachment tickets of the volume, empty if it has no attachment
   * @throws StorageException BUSY with the tickets and the remedies
   */
  public static void requireAllowed(Volume volume, Optional<VolumeAttachment> attachment)
      throws StorageException {
    List<AttachmentTicket> users = users(attachment);
    if (volume.isBeingDeleted() || users.isEmpty() || !isAttached(volume)) {
      return;
    }
    throw new StorageException(
        ErrorCode.BUSY,
        "volume "
            + volume.name()
            + " is "
            + held(volume, users)
            + ": "
            + release(volume, users)
            + ", or have it deleted once it is detached with 'holdfast volume delete "
            + volume.name()
            + " --when-detached'");
  }

  /** Returns for example {@code attached to node-1 by ticket api-node-1 (api)}. */
  public static String held(Volume volume, List<AttachmentTicket> users) {
    String current = volume.status().currentNodeID();
    String node = current.isEmpty() ? volume.spec().nodeID() : current;
    return "attached"
        + (node.isEmpty() ? "" : " to " + node)
        + (users.size() == 1 ? " by ticket " : " by tickets ")
        + users.stream()
            .map(ticket -> ticket.id() + " (" + ticket.type() + ")")
            .collect(Collectors.joining(", "));
  }

  private static String release(Volume volume, List<AttachmentTicket> users) {
    String detach = "detach it with 'holdfast volume detach " + volume.name() + "'";
    boolean ofPeople = users.stream().anyMatch(ticket -> ticket.type().equals(PERSON));
    boolean ofOthers = users.stream().anyMatch(ticket -> !ticket.type().equals(PERSON));
    if (!ofOthers) {
      return detach;
    }
    return "end the workloads that use it (see 'holdfast volume why "
        + volume.name()
        + "'; 'holdfast ticket delete "
        + volume.name()
        + " TICKET' deletes a ticket whose attacher is uninstalled)"
        + (ofPeople ? " and " + detach : "");
  }
}
