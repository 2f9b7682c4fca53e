package dev.holdfast.resource.attachment;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * The observed state of a volume's tickets.
 *
 * @param attachmentTicketStatuses states of the tickets, by ticket id
 * @param conditions while there are tickets, Satisfied: whether all tickets are satisfied;
 *     otherwise its message names those that are not, with the cause
 */
@RecordBuilder
public record VolumeAttachmentStatus(
    Map<String, AttachmentTicketStatus> attachmentTicketStatuses, List<Condition> conditions)
    implements VolumeAttachmentStatusBuilder.With {
  /** Nothing set. */
  public static final VolumeAttachmentStatus EMPTY =
      VolumeAttachmentStatusBuilder.builder().build();

  /** Replaces what is null by its default and copies the collections. */
  public VolumeAttachmentStatus {
    attachmentTicketStatuses = Defaults.map(attachmentTicketStatuses);
    conditions = Defaults.list(conditions);
  }
}
