package dev.holdfast.resource.attachment;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * What became of one ticket.
 *
 * @param id the ticket
 * @param satisfied whether the volume was seen attached as the ticket asks
 * @param conditions Satisfied, with a reason in every case
 * @param generation generation of the ticket that this tells of
 */
@RecordBuilder
public record AttachmentTicketStatus(
    String id, boolean satisfied, List<Condition> conditions, long generation)
    implements AttachmentTicketStatusBuilder.With {
  /** Nothing set. */
  public static final AttachmentTicketStatus EMPTY =
      new AttachmentTicketStatus(null, false, null, 0L);

  /** Replaces what is null by its default and copies the collections. */
  public AttachmentTicketStatus {
    id = Defaults.text(id);
    conditions = Defaults.list(conditions);
  }
}
