package dev.holdfast.resource.attachment;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The observed state of a ticket.
 *
 * @param id the ticket
 * @param satisfied whether the volume was attached as the ticket requests
 * @param conditions Satisfied, always with a reason
 * @param generation generation of the ticket that this status describes
 * @param contentHash hash of the content of the ticket that this status describes, because a client
 *     may change a ticket and leave its generation; empty where an earlier version wrote it
 */
@RecordBuilder
public record AttachmentTicketStatus(
    String id, boolean satisfied, List<Condition> conditions, long generation, String contentHash)
    implements AttachmentTicketStatusBuilder.With {
  /** Nothing set. */
  public static final AttachmentTicketStatus EMPTY =
      AttachmentTicketStatusBuilder.builder().build();

  /** Condition that tells whether the volume is attached as the ticket asks. */
  public static final String SATISFIED_CONDITION = "Satisfied";

  /** Condition that tells whether the ticket's attacher is installed. */
  public static final String ATTACHER_AVAILABLE_CONDITION = "AttacherAvailable";

  /** Reason of a ticket whose volume is attached to another node. */
  public static final String OTHER_NODE_REASON = "OtherNode";

  /** Reason of a ticket whose volume is attached with parameters that exclude it. */
  public static final String INCOMPATIBLE_REASON = "AttachedWithIncompatibleParameters";

  /** Replaces what is null by its default and copies the collections. */
  public AttachmentTicketStatus {
    id = Defaults.text(id);
    conditions = Defaults.list(conditions);
    contentHash = Defaults.text(contentHash);
  }

  /** Returns a status that names the ticket's generation only. */
  public static AttachmentTicketStatus of(
      String id, boolean satisfied, List<Condition> conditions, long generation) {
    return new AttachmentTicketStatus(id, satisfied, conditions, generation, "");
  }

  /**
   * Returns whether this status describes a ticket as it is now, and not an earlier form of it.
   *
   * @param ticket of the same id, not null
   */
  public boolean describes(AttachmentTicket ticket) {
    return generation == ticket.generation()
        && (contentHash.isEmpty() || contentHash.equals(ticket.contentHash()));
  }
}
