package dev.holdfast.resource.attachment;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.OwnerReference;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;

/**
 * One wish that a volume be attached (seed 000).
 *
 * @param id unique among the tickets of the volume, the key of the map
 * @param type the attacher type that owns it
 * @param nodeID the node asked for; empty leaves it open
 * @param parameters disableFrontend (true, false, any) and lastAttachedBy
 * @param generation tells one content of an id from another; the system numbers it whenever the
 *     content changes, whatever a writer says
 * @param ownerReference the resource that the ticket is for, by kind, name and uid: when that is
 *     gone, the ticket's attacher takes it back; empty for nobody
 * @param expiresAt when the ticket's attacher takes it back, to the second; empty for never
 */
@RecordBuilder
public record AttachmentTicket(
    String id,
    String type,
    String nodeID,
    Map<String, String> parameters,
    long generation,
    Optional<OwnerReference> ownerReference,
    Optional<Instant> expiresAt)
    implements AttachmentTicketBuilder.With {
  private static final int LONGEST_ID = 253;

  /** Nothing set. */
  public static final AttachmentTicket EMPTY = new AttachmentTicket(null, null, null, null, 0L);

  /** Replaces what is null by its default and copies the collections. */
  public AttachmentTicket {
    id = Defaults.text(id);
    type = Defaults.text(type);
    nodeID = Defaults.text(nodeID);
    parameters = Defaults.map(parameters);
    ownerReference = Defaults.optional(ownerReference);
    expiresAt = Defaults.optional(expiresAt).map(time -> time.truncatedTo(ChronoUnit.SECONDS));
  }

  /** A ticket that is for nobody in particular and has no end. */
  public AttachmentTicket(
      String id, String type, String nodeID, Map<String, String> parameters, long generation) {
    this(id, type, nodeID, parameters, generation, Optional.empty(), Optional.empty());
  }

  /**
   * Returns the id of the ticket that an attacher has for a subject: {@code type-subject}, cut at
   * 253 characters.
   *
   * @param type the attacher type, not null
   * @param subject name of what the ticket is for, not null
   */
  public static String idOf(String type, String subject) {
    String id = type + "-" + subject;
    return id.substring(0, Math.min(id.length(), LONGEST_ID));
  }

  /** Returns whether another ticket asks for the same, whatever their generations. */
  public boolean asksTheSameAs(AttachmentTicket other) {
    return withGeneration(0).equals(other.withGeneration(0));
  }
}
