package dev.holdfast.resource.attachment;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.OwnerReference;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A request to attach a volume to a node.
 *
 * @param id unique among the tickets of the volume, the key of the map
 * @param type the attacher type that owns the ticket
 * @param nodeID the requested node; empty for any node
 * @param parameters disableFrontend (true, false, any), lastAttachedBy, {@link
 *     #CLIENT_NODE_PARAMETER} and those of its attacher
 * @param generation number of the ticket's content; the store assigns it whenever the content
 *     changes and ignores the client's value
 * @param ownerReference the resource that needs the ticket, by kind, name and uid; the attacher
 *     removes the ticket after that resource was deleted; empty for none
 * @param expiresAt time at which the attacher removes the ticket, to the second; empty for never
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
  private static final int HASH_DIGITS = 16;

  /**
   * Parameter with the node whose programs use the volume, which may differ from the serving node.
   * That node may access the volume with its certificate while the ticket exists.
   */
  public static final String CLIENT_NODE_PARAMETER = "clientNode";

  /** The value with all fields at their defaults. */
  public static final AttachmentTicket EMPTY = AttachmentTicketBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public AttachmentTicket {
    id = Defaults.text(id);
    type = Defaults.text(type);
    nodeID = Defaults.text(nodeID);
    parameters = Defaults.map(parameters);
    ownerReference = Defaults.optional(ownerReference);
    expiresAt = Defaults.optional(expiresAt).map(time -> time.truncatedTo(ChronoUnit.SECONDS));
  }

  /** Returns a ticket without an owner resource and without an expiry time. */
  public static AttachmentTicket of(
      String id, String type, String nodeID, Map<String, String> parameters, long generation) {
    return new AttachmentTicket(
        id, type, nodeID, parameters, generation, Optional.empty(), Optional.empty());
  }

  /**
   * Returns the id of an attacher's ticket for a subject: {@code type-subject}, truncated to 253
   * characters.
   *
   * @param type the attacher type, not null
   * @param subject name of the resource that needs the ticket, not null
   */
  public static String idOf(String type, String subject) {
    String id = type + "-" + subject;
    return id.substring(0, Math.min(id.length(), LONGEST_ID));
  }

  /**
   * Returns a hash of the content, without the generation: 16 hexadecimal digits. Tickets of the
   * same content have the same hash in every version.
   */
  public String contentHash() {
    List<String> parts = new ArrayList<>(List.of(id, type, nodeID));
    new TreeMap<>(parameters).forEach((name, value) -> parts.addAll(List.of(name, value)));
    parts.add("owner");
    ownerReference.ifPresent(
        owner ->
            parts.addAll(
                List.of(
                    owner.apiVersion(),
                    owner.kind(),
                    owner.name(),
                    owner.uid(),
                    String.valueOf(owner.controller()))));
    parts.add("expires");
    expiresAt.ifPresent(time -> parts.add(time.toString()));
    StringBuilder content = new StringBuilder();
    parts.forEach(part -> content.append(part.length()).append(':').append(part));
    return TicketDigest.sha256(content.toString()).substring(0, HASH_DIGITS);
  }

  /**
   * Returns the nodes in the ticket: the requested one, and those whose programs use the volume.
   * Empty if the ticket names none.
   */
  public Set<String> nodes() {
    return Stream.of(
            nodeID,
            parameters.getOrDefault(CLIENT_NODE_PARAMETER, ""),
            parameters.getOrDefault(WorkloadTickets.NODE_PARAMETER, ""))
        .filter(node -> !node.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns whether another ticket has the same content. Ignores the generations. */
  public boolean asksTheSameAs(AttachmentTicket other) {
    return withGeneration(0).equals(other.withGeneration(0));
  }
}
