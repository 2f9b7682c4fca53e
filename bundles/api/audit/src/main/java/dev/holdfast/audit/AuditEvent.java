package dev.holdfast.audit;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * One request, with its result.
 *
 * @param id random and unique, not null
 * @param received time at which the request arrived, not null
 * @param finished time at which its result was decided, not null
 * @param verb as in Kubernetes, such as create, not null
 * @param subject who sent it, not null
 * @param object what it was about, not null
 * @param code of HTTP, 0 where the operation has none
 * @param message of a failure, empty on success, not null
 * @param annotations further facts by their names, such as the role that permitted it, not null
 */
public record AuditEvent(
    String id,
    Instant received,
    Instant finished,
    String verb,
    AuditSubject subject,
    AuditObject object,
    int code,
    String message,
    Map<String, String> annotations) {
  /** Annotation that tells whether the request was permitted: allow or forbid. */
  public static final String DECISION = "authorization.k8s.io/decision";

  /** Annotation that tells which role permitted the request, or which right is missing. */
  public static final String REASON = "authorization.k8s.io/reason";

  /** Annotation of the first request for some time with a token from an address. */
  public static final String TOKEN_USE = "audit.holdfast.dev/token-use";

  /** Annotation that counts earlier requests without a valid credential that have no line. */
  public static final String SUPPRESSED = "audit.holdfast.dev/suppressed";

  /** Copies the map and checks that nothing is missing. */
  public AuditEvent {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(received, "received");
    Objects.requireNonNull(finished, "finished");
    Objects.requireNonNull(verb, "verb");
    Objects.requireNonNull(subject, "subject");
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(message, "message");
    annotations = Map.copyOf(annotations);
  }
}
