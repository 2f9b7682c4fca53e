package dev.holdfast.access.audit;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * Selects lines of the audit log. An empty value selects all.
 *
 * @param user name of the user
 * @param verb such as delete
 * @param kind plural of the kind, such as volumes
 * @param name of the resource
 * @param since only requests that arrived at this time or later
 */
public record AuditFilter(
    Optional<String> user,
    Optional<String> verb,
    Optional<String> kind,
    Optional<String> name,
    Optional<Instant> since) {
  /** Selects all lines. */
  public static final AuditFilter ALL =
      new AuditFilter(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /** Returns whether the filter selects an event of the file. */
  boolean matches(JsonNode event) {
    return equal(user, event.at("/user/username"))
        && equal(verb, event.path("verb"))
        && equal(kind, event.at("/objectRef/resource"))
        && equal(name, event.at("/objectRef/name"))
        && since.map(start -> !received(event).isBefore(start)).orElse(true);
  }

  private static boolean equal(Optional<String> wanted, JsonNode value) {
    return wanted.map(text -> text.equals(value.asText())).orElse(true);
  }

  private static Instant received(JsonNode event) {
    try {
      return Instant.parse(event.path("requestReceivedTimestamp").asText());
    } catch (DateTimeParseException e) {
      // A line from another program is shown rather than hidden.
      return Instant.MAX;
    }
  }
}
