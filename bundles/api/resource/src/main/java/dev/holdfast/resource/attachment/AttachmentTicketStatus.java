package dev.holdfast.resource.attachment;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The observed state of a ticket.
 *
 * @param id id of the ticket
 * @param satisfied whether the volume was attached as the ticket requests
 * @param conditions Satisfied, always with a reason
 * @param generation generation of the ticket that this status describes
 * @param contentHash hash of the described ticket's content, because a client may change a ticket
 *     without its generation; empty in statuses of earlier versions
 */
@RecordBuilder
public record AttachmentTicketStatus(
    String id, boolean satisfied, List<Condition> conditions, long generation, String contentHash)
    implements AttachmentTicketStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final AttachmentTicketStatus EMPTY =
      AttachmentTicketStatusBuilder.builder().build();

  /** Condition that reports whether the volume is attached as the ticket requests. */
  public static final String SATISFIED_CONDITION = "Satisfied";

  /** Condition that reports whether the ticket's attacher is installed. */
  public static final String ATTACHER_AVAILABLE_CONDITION = "AttacherAvailable";

  /** Reason of a ticket whose volume is attached to another node. */
  public static final String OTHER_NODE_REASON = "OtherNode";

  /** Reason of a ticket whose parameters conflict with those of the present attachment. */
  public static final String INCOMPATIBLE_REASON = "AttachedWithIncompatibleParameters";

  /** Replaces null components by their defaults and copies the collections. */
  public AttachmentTicketStatus {
    id = Defaults.text(id);
    conditions = Defaults.list(conditions);
    contentHash = Defaults.text(contentHash);
  }

  /** Returns a status with the ticket's generation but without a content hash. */
  public static AttachmentTicketStatus of(
      String id, boolean satisfied, List<Condition> conditions, long generation) {
    return new AttachmentTicketStatus(id, satisfied, conditions, generation, "");
  }

  /**
   * Returns whether this status describes the present form of a ticket and not an earlier one.
   *
   * @param ticket ticket with the same id, not null
   */
  public boolean describes(AttachmentTicket ticket) {
    return generation == ticket.generation()
        && (contentHash.isEmpty() || contentHash.equals(ticket.contentHash()));
  }
}
