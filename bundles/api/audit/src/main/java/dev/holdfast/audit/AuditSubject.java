package dev.holdfast.audit;

import java.util.List;
import java.util.Objects;

/**
 * The sender of a request.
 *
 * @param user name of the user, not null
 * @param groups of the user, not null
 * @param source address of the client, empty if it is not known
 * @param program User-Agent of the client, empty if the client did not send it
 */
public record AuditSubject(String user, List<String> groups, String source, String program) {
  /** Copies the list and rejects null components. */
  public AuditSubject {
    Objects.requireNonNull(user, "user");
    groups = List.copyOf(groups);
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(program, "program");
  }
}
