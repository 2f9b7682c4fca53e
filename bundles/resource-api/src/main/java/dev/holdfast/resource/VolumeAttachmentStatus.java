package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;

/**
 * What became of the tickets.
 *
 * @param attachmentTicketStatuses by ticket id
 */
@RecordBuilder
public record VolumeAttachmentStatus(Map<String, AttachmentTicketStatus> attachmentTicketStatuses)
    implements VolumeAttachmentStatusBuilder.With {
  /** Nothing set. */
  public static final VolumeAttachmentStatus EMPTY = new VolumeAttachmentStatus(null);

  /** Replaces what is null by its default and copies the collections. */
  public VolumeAttachmentStatus {
    attachmentTicketStatuses = Defaults.map(attachmentTicketStatuses);
  }
}
