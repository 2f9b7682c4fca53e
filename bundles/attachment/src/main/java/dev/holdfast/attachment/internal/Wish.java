package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherType;
import dev.holdfast.resource.AttachmentTicket;
import java.util.Comparator;
import java.util.Optional;

/**
 * A ticket as the decision sees it.
 *
 * @param ticket what was asked
 * @param nodeID the node asked for, or the one chosen when that was left open; empty when none is
 *     to be had
 * @param type its attacher type, empty while that is not installed
 * @param frontend what it asks of the frontend
 */
record Wish(
    AttachmentTicket ticket, String nodeID, Optional<AttacherType> type, FrontendDemand frontend) {

  /** Highest priority first; of equal ones the shorter id, then the alphabet (seed 000). */
  static final Comparator<Wish> ORDER =
      Comparator.comparingInt(Wish::priority)
          .reversed()
          .thenComparingInt(wish -> wish.ticket().id().length())
          .thenComparing(wish -> wish.ticket().id());

  private int priority() {
    return type.map(AttacherType::priority).orElse(Integer.MIN_VALUE);
  }

  boolean hasRole(AttacherType.Role role) {
    return type.filter(t -> t.role() == role).isPresent();
  }
}
