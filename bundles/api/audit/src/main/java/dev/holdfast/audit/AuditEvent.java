package dev.holdfast.audit;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * One request, with its result.
 *
 * @param id random and unique, not null
 * @param received time at which the request arrived, not null
 * @param finished time at which its result was known, not null
 * @param verb as in Kubernetes, such as create, not null
 * @param subject sender of the request, not null
 * @param object resource or path of the request, not null
 * @param code HTTP status code, 0 for an operation without one
 * @param message of a failure, empty on success, not null
 * @param annotations further facts by name, such as the role that permitted the request, not null
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
  /** Annotation that records the decision: allow or forbid. */
  public static final String DECISION = "authorization.k8s.io/decision";

  /** Annotation that records the role that permitted the request, or the missing right. */
  public static final String REASON = "authorization.k8s.io/reason";

  /** Annotation of the first request with a token from an address in the last 5 minutes. */
  public static final String TOKEN_USE = "audit.holdfast.dev/token-use";

  /** Annotation that counts earlier unauthenticated requests that were not recorded one by one. */
  public static final String SUPPRESSED = "audit.holdfast.dev/suppressed";

  /** Copies the map and rejects null components. */
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
