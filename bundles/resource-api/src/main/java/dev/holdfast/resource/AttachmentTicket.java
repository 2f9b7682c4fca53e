package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;

/**
 * One wish that a volume be attached (seed 000).
 *
 * @param id unique among the tickets of the volume, the key of the map
 * @param type the attacher type that owns it
 * @param nodeID the node asked for; empty leaves it open
 * @param parameters disableFrontend (true, false, any) and lastAttachedBy
 * @param generation tells one content of an id from another: 0 for the system to number it, and
 *     never what it was before when the content changes
 */
@RecordBuilder
public record AttachmentTicket(
    String id, String type, String nodeID, Map<String, String> parameters, long generation)
    implements AttachmentTicketBuilder.With {
  /** Nothing set. */
  public static final AttachmentTicket EMPTY = new AttachmentTicket(null, null, null, null, 0L);

  /** Replaces what is null by its default and copies the collections. */
  public AttachmentTicket {
    id = Defaults.text(id);
    type = Defaults.text(type);
    nodeID = Defaults.text(nodeID);
    parameters = Defaults.map(parameters);
  }
}
