package dev.holdfast.apiserver.internal;

import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.Caller;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.apiserver.internal.auth.SelfReviews;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiStatus;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.audit.AuditObject;
import dev.holdfast.audit.AuditSubject;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.MDC;

/**
 * Records requests in the audit log: each write, each refusal, the first use of a token from an
 * address in 5 minutes, and reads if a setting enables this. Requests of nodes are recorded only if
 * they are refused or delete resources. Thread-safe.
 */
final class RequestAudit {
  /** The setting that an administrator can change while the log cannot be written. */
  private static final String ESCAPE = "audit-required";

  /** Name of a request's identifier in the lines of the log. */
  private static final String REQUEST = "request";

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  private final AuditLog log;
  private final Clock clock;
  private final RefusalLimit unknown;

  RequestAudit(AuditLog log, Clock clock) {
    this.log = log;
    this.clock = clock;
    this.unknown = new RefusalLimit(clock);
  }

  /** Starts the record of a request, of which only the head is known. */
  Attempt begin(ApiRequest request) {
    return new Attempt(request, clock.instant());
  }

  /** The record of one request until its result. For one thread at a time. */
  final class Attempt {
    private final String id = UUID.randomUUID().toString();
    private final ApiRequest request;
    private final Instant received;
    private Caller caller = Caller.ANONYMOUS;
    private AccessRequest requested;
    private String reason = "";
    private boolean firstUse;

    private Attempt(ApiRequest request, Instant received) {
      this.request = request;
      this.received = received;
      this.requested = AccessRequest.ofPath(request.method(), request.pathText());
    }

    /** Adds the auditID of the request to the following log lines of this thread. */
    void beginLog() {
      MDC.put(REQUEST, id);
    }

    /** Removes the auditID that {@link #beginLog} added. */
    void endLog() {
      MDC.remove(REQUEST);
    }

    /** Records the sender and the requested access. */
    void asks(Caller sender, AccessRequest what) {
      caller = sender;
      requested = what;
    }

    /** Returns the sender, anonymous until it is authenticated. */
    Caller caller() {
      return caller;
    }

    /** Records that the request is permitted, and the reason. */
    void permitted(String by, boolean firstUseOfToken) {
      reason = by;
      firstUse = firstUseOfToken;
    }

    /**
     * Rejects a write that cannot be recorded.
     *
     * @throws ApiException 503
     */
    void requireRecord() throws ApiException {
      boolean exempt =
          caller.type() == Caller.Type.NODE
              || (requested.kind().equals(Setting.KIND.plural())
                  && requested.name().equals(ESCAPE));
      if (changes() && !exempt && log.refusesWrites()) {
        throw ApiException.notKnownYet(
            "the audit log of this node cannot be written, and the setting audit-required is true:"
                + " see the log of the node for the cause");
      }
    }

    private boolean changes() {
      return requested.isWrite() && !SelfReviews.isReview(request.path());
    }

    /** Records the result, if requests of this kind are recorded. */
    void end(int code, String message) {
      boolean refused = code == UNAUTHORIZED || code == FORBIDDEN;
      Map<String, String> annotations = new HashMap<>();
      if (code == UNAUTHORIZED) {
        OptionalLong suppressed = unknown.take();
        if (suppressed.isEmpty()) {
          return;
        } else if (suppressed.getAsLong() > 0) {
          annotations.put(AuditEvent.SUPPRESSED, Long.toString(suppressed.getAsLong()));
        }
      } else if (!refused && !firstUse && !isRecorded()) {
        return;
      }
      annotations.put(AuditEvent.DECISION, refused ? "forbid" : "allow");
      annotations.put(AuditEvent.REASON, reason.isEmpty() ? message : reason);
      if (firstUse) {
        annotations.put(AuditEvent.TOKEN_USE, "first in 5 minutes");
      }
      log.record(event(code, message, annotations));
    }

    private boolean isRecorded() {
      return caller.type() == Caller.Type.NODE
          ? requested.verb().startsWith("delete")
          : changes() || (log.recordsReads() && caller.type() != Caller.Type.ANONYMOUS);
    }

    private AuditEvent event(int code, String message, Map<String, String> annotations) {
      return new AuditEvent(
          id,
          received,
          clock.instant(),
          requested.verb(),
          new AuditSubject(
              caller.name(),
              caller.groups(),
              request.source(),
              request.header("User-Agent").orElse("")),
          new AuditObject(
              requested.kind(), requested.subresource(), requested.name(), uri(request)),
          code,
          message,
          annotations);
    }

    /** Returns a call that records its result. */
    ApiHandler.StreamedCall recorded(ApiHandler.StreamedCall call) {
      return (body, response) -> {
        int[] code = {0};
        ExtensionResponse noted =
            (status, type, length, headers) -> {
              code[0] = status;
              return response.begin(status, type, length, headers);
            };
        beginLog();
        try {
          call.run(body, noted);
          end(code[0], "");
        } catch (StorageException e) {
          ApiStatus status = ApiStatus.of(e);
          end(status.code(), status.message());
          throw e;
        } catch (IOException | RuntimeException e) {
          end(code[0], String.valueOf(e.getMessage()));
          throw e;
        } finally {
          endLog();
        }
      };
    }
  }

  private static String uri(ApiRequest request) {
    StringBuilder uri = new StringBuilder(request.pathText());
    char separator = '?';
    for (var parameter : request.query().entrySet()) {
      for (String value : parameter.getValue()) {
        uri.append(separator).append(parameter.getKey()).append('=').append(value);
        separator = '&';
      }
    }
    return uri.toString();
  }
}
