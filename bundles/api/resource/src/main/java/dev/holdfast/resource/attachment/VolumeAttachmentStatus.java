package dev.holdfast.resource.attachment;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * What became of the tickets.
 *
 * @param attachmentTicketStatuses by ticket id
 * @param conditions Satisfied, while there are tickets: whether all have what they ask for, and if
 *     not which do not and why
 */
@RecordBuilder
public record VolumeAttachmentStatus(
    Map<String, AttachmentTicketStatus> attachmentTicketStatuses, List<Condition> conditions)
    implements VolumeAttachmentStatusBuilder.With {
  /** Nothing set. */
  public static final VolumeAttachmentStatus EMPTY = new VolumeAttachmentStatus(null);

  /** Replaces what is null by its default and copies the collections. */
  public VolumeAttachmentStatus {
    attachmentTicketStatuses = Defaults.map(attachmentTicketStatuses);
    conditions = Defaults.list(conditions);
  }

  /** A status without a summary. */
  public VolumeAttachmentStatus(Map<String, AttachmentTicketStatus> attachmentTicketStatuses) {
    this(attachmentTicketStatuses, null);
  }
}
