package dev.holdfast.client;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Explanation of a volume's state: the tickets that hold it, waiting tickets, and faults.
 *
 * @param volume the volume
 * @param holders tickets that keep the volume on its present or next node, or that its share
 *     satisfies
 * @param waiting tickets with other requirements
 * @param problems conditions of the volume and its share that report a fault
 */
public record Explanation(
    Volume volume, List<Request> holders, List<Request> waiting, List<Condition> problems) {
  private static final String INCOMPATIBLE = AttachmentTicketStatus.INCOMPATIBLE_REASON;

  /** Copies the lists. */
  public Explanation {
    holders = List.copyOf(holders);
    waiting = List.copyOf(waiting);
    problems = List.copyOf(problems);
  }

  /**
   * A ticket and its state.
   *
   * @param ticket the ticket
   * @param satisfied whether the ticket is satisfied
   * @param reason reason for programs, {@code NotJudged} before the controller has processed the
   *     ticket
   * @param message text for users, may be empty
   * @param attacherAvailable whether its attacher is known to be installed
   */
  public record Request(
      AttachmentTicket ticket,
      boolean satisfied,
      String reason,
      String message,
      boolean attacherAvailable) {
    static Request of(AttachmentTicket ticket, VolumeAttachment attachment) {
      Optional<AttachmentTicketStatus> status =
          Optional.ofNullable(attachment.status().attachmentTicketStatuses().get(ticket.id()))
              .filter(found -> found.describes(ticket));
      Optional<Condition> told =
          status.flatMap(
              found ->
                  Condition.find(found.conditions(), AttachmentTicketStatus.SATISFIED_CONDITION));
      return new Request(
          ticket,
          status.filter(AttachmentTicketStatus::satisfied).isPresent(),
          told.map(Condition::reason).orElse("NotJudged"),
          told.map(Condition::message).orElse("the attachment controller has not checked it yet"),
          status
              .flatMap(
                  found ->
                      Condition.find(
                          found.conditions(), AttachmentTicketStatus.ATTACHER_AVAILABLE_CONDITION))
              .filter(condition -> condition.status() == Condition.Status.FALSE)
              .isEmpty());
    }

    private boolean holds(Volume volume) {
      String node = volume.spec().nodeID();
      boolean there = ticket.nodeID().isEmpty() || ticket.nodeID().equals(node);
      return satisfied || (!node.isEmpty() && there && !reason.equals(INCOMPATIBLE));
    }
  }

  /** Explains a volume by the status that the controllers report. */
  public static Explanation of(Volume volume, Optional<VolumeAttachment> attachment) {
    List<Request> requests =
        attachment
            .map(
                a ->
                    a.spec().attachmentTickets().values().stream()
                        .map(ticket -> Request.of(ticket, a))
                        .toList())
            .orElse(List.of());
    return new Explanation(
        volume,
        requests.stream().filter(request -> request.holds(volume)).toList(),
        requests.stream().filter(request -> !request.holds(volume)).toList(),
        volume.status().conditions().stream().filter(Explanation::isComplaint).toList());
  }

  /** Returns the same with further problems. */
  Explanation withFurther(List<Condition> further) {
    return new Explanation(
        volume, holders, waiting, Stream.concat(problems.stream(), further.stream()).toList());
  }

  /**
   * Returns whether a condition reports a fault. Conditions report a good state; only Faulted
   * reports a bad one. Tickets are listed separately.
   */
  private static boolean isComplaint(Condition condition) {
    if (condition.type().equals(Volume.TICKETS_SATISFIED_CONDITION)) {
      return false;
    }
    return condition.type().equals(Volume.FAULTED_CONDITION)
        ? condition.status() == Condition.Status.TRUE
        : condition.status() == Condition.Status.FALSE;
  }
}
