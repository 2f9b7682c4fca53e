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
 * @param conditions Satisfied, present while tickets exist: whether all tickets are satisfied;
 *     otherwise its message names the unsatisfied tickets with the cause
 */
@RecordBuilder
public record VolumeAttachmentStatus(
    Map<String, AttachmentTicketStatus> attachmentTicketStatuses, List<Condition> conditions)
    implements VolumeAttachmentStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final VolumeAttachmentStatus EMPTY =
      VolumeAttachmentStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public VolumeAttachmentStatus {
    attachmentTicketStatuses = Defaults.map(attachmentTicketStatuses);
    conditions = Defaults.list(conditions);
  }
}
