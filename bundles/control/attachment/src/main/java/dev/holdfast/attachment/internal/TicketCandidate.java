package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.resource.attachment.AttachmentTicket;
import java.util.Comparator;
import java.util.Optional;

/**
 * A ticket as the decision sees it.
 *
 * @param ticket the ticket
 * @param nodeID the node asked for, or the one chosen when that was left open; empty when none is
 *     to be had
 * @param type its attacher type, empty while that is not installed
 * @param frontend its requirement on the frontend
 */
record TicketCandidate(
    AttachmentTicket ticket,
    String nodeID,
    Optional<AttacherProvider> type,
    FrontendRequirement frontend) {
  /** The type whose tickets move a volume in use, and are represented by a share. */
  private static final String CSI = "csi-attacher";

  /** The type whose tickets keep a copy and its source on one node. */
  static final String CLONING_TYPE = "volume-clone-controller";

  /** The type whose tickets keep a volume attached while it is restored. */
  static final String RESTORING_TYPE = "volume-restore-controller";

  /** With {@code true}, the one ticket gives way to workloads although its type does not. */
  private static final String INTERRUPTIBLE = "interruptible";

  /** Highest priority first; of equal ones the shorter id, then the alphabet. */
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

  /** While its attacher is away it is unknown whether it may be cut short, so it may not. */
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
