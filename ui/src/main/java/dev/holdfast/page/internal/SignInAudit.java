package dev.holdfast.page.internal;

import dev.holdfast.access.Caller;
import dev.holdfast.access.RootRequest;
import dev.holdfast.access.UserCredential;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.audit.AuditObject;
import dev.holdfast.audit.AuditSubject;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Audit lines of sign-ins at an identity provider. Their addresses lack parameters: a code is one.
 */
final class SignInAudit {
  private final AuditLog log;
  private final Clock clock;

  SignInAudit(AuditLog log, Clock clock) {
    this.log = log;
    this.clock = clock;
  }

  void admitted(RootRequest request, UserCredential user) {
    record(request, user.name(), user.groups(), 200, "", "allow", "signed in at " + user.issuer());
  }

  void refused(RootRequest request, String reason) {
    record(request, Caller.ANONYMOUS.name(), List.of(), 403, reason, "forbid", reason);
  }

  private void record(
      RootRequest request,
      String user,
      List<String> groups,
      int code,
      String message,
      String decision,
      String reason) {
    Instant now = clock.instant();
    String program = request.header("User-Agent").orElse("");
    log.record(
        new AuditEvent(
            UUID.randomUUID().toString(),
            now,
            now,
            "create",
            new AuditSubject(user, groups, request.source(), program),
            new AuditObject("", "", "", "/" + String.join("/", request.path())),
            code,
            message,
            Map.of(AuditEvent.DECISION, decision, AuditEvent.REASON, reason)));
  }
}
