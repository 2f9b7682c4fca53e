package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.resource.attachment.AttachmentTicket;
import java.util.Comparator;
import java.util.Optional;

/**
 * A ticket in the form for the decision.
 *
 * @param ticket the ticket
 * @param nodeID the requested node, or the selected one for an open request; empty if none is
 *     available
 * @param type its attacher type, empty if not installed
 * @param frontend its requirement on the frontend
 */
record TicketCandidate(
    AttachmentTicket ticket,
    String nodeID,
    Optional<AttacherProvider> type,
    FrontendRequirement frontend) {
  /** Ticket type that moves a volume during use and can be satisfied by a share. */
  private static final String CSI = "csi-attacher";

  /** Ticket type that keeps a copy and its source on one node. */
  static final String CLONING_TYPE = "volume-clone-controller";

  /** Ticket type that keeps a volume attached during a restore. */
  static final String RESTORING_TYPE = "volume-restore-controller";

  /** Parameter that makes a single ticket interruptible although its type is not. */
  private static final String INTERRUPTIBLE = "interruptible";

  /** Highest priority first, then the shorter id, then alphabetical order. */
  static final Comparator<TicketCandidate> ORDER =
      Comparator.comparingInt(TicketCandidate::priority)
          .reversed()
          .thenComparingInt(wish -> wish.ticket().id().length())
          .thenComparing(wish -> wish.ticket().id());

  int priority() {
    return type.map(AttacherProvider::priority).orElse(Integer.MIN_VALUE);
  }

  boolean isWorkload() {
    return hasRole(AttacherProvider.Role.WORKLOAD);
  }

  /**
   * Returns whether the ticket may be interrupted. Without its attacher this is unknown, so the
   * ticket may not.
   */
  boolean isInterruptible() {
    boolean said = ticket.parameters().getOrDefault(INTERRUPTIBLE, "false").equals("true");
    return hasRole(AttacherProvider.Role.INTERRUPTIBLE)
        || (said && hasRole(AttacherProvider.Role.UNINTERRUPTIBLE));
  }

  boolean isCsi() {
    return ticket.type().equals(CSI);
  }

  boolean isCopying() {
    return ticket.type().equals(CLONING_TYPE);
  }

  boolean isOpen() {
    return ticket.nodeID().isEmpty();
  }

  TicketCandidate at(String node) {
    return new TicketCandidate(ticket, node, type, frontend);
  }

  private boolean hasRole(AttacherProvider.Role role) {
    return type.filter(t -> t.role() == role).isPresent();
  }
}
