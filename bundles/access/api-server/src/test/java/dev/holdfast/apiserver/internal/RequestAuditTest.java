package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.AccessToken;
import dev.holdfast.access.AccessTokenSpec;
import dev.holdfast.access.TokenSecret;
import dev.holdfast.apiserver.internal.auth.KnownMembers;
import dev.holdfast.apiserver.internal.auth.UserCertificates;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.resources.WatchSettings;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.authorization.Authorization;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lines of the audit log that requests leave. */
class RequestAuditTest {
  private static final String BASE = "/apis/holdfast.dev/v1/";
  private static final String SOURCE = "192.0.2.7";
  private static final String NODE = "credential-of-node-2";
  private static final List<String> WRITES =
      List.of(
          "POST ",
          "PUT /x",
          "PATCH /x",
          "PATCH /x/status",
          "DELETE /x",
          "DELETE ",
          "PUT /x/status");

  private final ResourceStore store = new MemoryResourceStore();
  private final KeptAuditLog audit = new KeptAuditLog();
  private String view;

  @BeforeEach
  void makeToken() throws Exception {
    TokenSecret secret = TokenSecret.random();
    AccessToken created =
        store.create(
            AccessToken.of(
                "viewer", AccessTokenSpec.EMPTY.withRole("view").withSecretHash(secret.hash())));
    assertThat(created.name()).isEqualTo("viewer");
    view = secret.text();
  }

  private ApiHandler handler(AuditLog log) {
    return RunningServer.handler(
        new KnownMembers("a", true, () -> Optional.of(new FakeMembers("node-2"))),
        "0.1.0",
        new RunningServer.Content(
            store,
            KindCatalogue.load(),
            new Extensions(),
            Authorization.over(store, Clock.systemUTC()).control(),
            log,
            UserCertificates.none()),
        WatchSettings.DEFAULT,
        new OpenStreams(),
        Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
  }

  private static ApiRequest request(String token, String method, String path, String body) {
    Map<String, String> headers =
        Map.of(
            "Authorization",
            "Bearer " + token,
            "User-Agent",
            "a-test",
            "Content-Type",
            method.equals("PATCH") ? "application/merge-patch+json" : "application/json");
    return ApiRequest.of(
            method,
            List.of(path.substring(1).split("/", -1)),
            Map.of(),
            name -> Optional.ofNullable(headers.get(name)),
            SOURCE)
        .withBody(body);
  }

  private static int code(ApiHandler api, String token, String method, String path, String body) {
    return ((ApiResponse.Content) api.handle(request(token, method, path, body))).code();
  }

  /** Returns each write of the role view that is not refused, or that has no line of its own. */
  private List<String> unrecorded(AuditLog log) {
    List<String> unrecorded = new ArrayList<>();
    ApiHandler api = handler(log);
    for (ResourceKind<?> kind : KindCatalogue.load().kinds()) {
      for (String write : WRITES) {
        String[] parts = write.split(" ", -1);
        audit.forget();
        int code = code(api, view, parts[0], BASE + kind.plural() + parts[1], "{}");
        boolean recorded =
            audit.events().size() == 1
                && audit.events().get(0).code() == 403
                && audit.events().get(0).subject().user().equals("viewer")
                && audit.events().get(0).subject().source().equals(SOURCE)
                && audit.events().get(0).object().kind().equals(kind.plural())
                && audit.events().get(0).annotations().get(AuditEvent.DECISION).equals("forbid");
        if (code != 403 || !recorded) {
          unrecorded.add(kind.plural() + " " + write);
        }
      }
    }
    return unrecorded;
  }

  @Test
  void viewGets403AndALineForEachWrite() {
    assertThat(unrecorded(audit)).isEmpty();
  }

  /** A log that loses the lines of a verb. */
  private record LossyLog(KeptAuditLog log, String verb) implements AuditLog {
    @Override
    public void record(AuditEvent event) {
      if (!event.verb().equals(verb)) {
        log.record(event);
      }
    }

    @Override
    public boolean refusesWrites() {
      return false;
    }

    @Override
    public boolean recordsReads() {
      return false;
    }

    @Override
    public long dropped() {
      return 0;
    }
  }

  @Test
  void testFindsALineThatIsLost() {
    assertThat(unrecorded(new LossyLog(audit, "deletecollection"))).isNotEmpty();
    assertThat(unrecorded(new LossyLog(audit, "patch"))).isNotEmpty();
  }

  @Test
  void lineContainsUserVerbKindNameCodeAndSource() {
    ApiHandler api = handler(audit);
    String setting =
        "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"Setting\",\"metadata\":{\"name\":"
            + "\"replica-soft-anti-affinity\"},\"spec\":{\"value\":\"true\"}}";
    assertThat(code(api, "a", "POST", BASE + "settings", setting)).isEqualTo(201);
    assertThat(audit.events()).hasSize(1);
    AuditEvent event = audit.events().get(0);
    assertThat(event.subject().user()).isEqualTo("local-admin");
    assertThat(event.subject().program()).isEqualTo("a-test");
    assertThat(event.verb()).isEqualTo("create");
    assertThat(event.object().kind()).isEqualTo("settings");
    assertThat(event.object().name()).isEqualTo("replica-soft-anti-affinity");
    assertThat(event.code()).isEqualTo(201);
    assertThat(event.annotations()).containsEntry(AuditEvent.REASON, "role admin");
  }

  @Test
  void firstUseOfATokenHasALineAndLaterReadsHaveNone() {
    ApiHandler api = handler(audit);
    assertThat(code(api, view, "GET", BASE + "volumes", "")).isEqualTo(200);
    assertThat(code(api, view, "GET", BASE + "volumes", "")).isEqualTo(200);
    assertThat(audit.events()).hasSize(1);
    assertThat(audit.events().get(0).annotations()).containsKey(AuditEvent.TOKEN_USE);
    audit.recordReads();
    assertThat(code(api, view, "GET", BASE + "volumes", "")).isEqualTo(200);
    assertThat(audit.events()).hasSize(2);
  }

  @Test
  void requestsOfNodesHaveALineWhenTheyDeleteOrAreRefused() {
    ApiHandler api = handler(audit);
    String lease =
        "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"l\"}}";
    assertThat(code(api, NODE, "POST", BASE + "leases", lease)).isEqualTo(201);
    assertThat(audit.events()).isEmpty();
    assertThat(code(api, NODE, "DELETE", BASE + "leases/l", "")).isEqualTo(200);
    assertThat(code(api, NODE, "DELETE", BASE + "nodes/x", "")).isEqualTo(403);
    assertThat(audit.events()).hasSize(2);
    assertThat(audit.events().get(1).subject().user()).isEqualTo("holdfast:node:node-2");
  }

  @Test
  void unknownCredentialsHaveFewLinesWithTheNumberOfThoseLeftOut() {
    ApiHandler api = handler(audit);
    for (int i = 0; i < 500; i++) {
      Assertions.assertThatThrownBy(() -> api.sender(request("wrong", "GET", BASE + "volumes", "")))
          .isInstanceOf(ApiException.class);
    }
    assertThat(audit.events()).hasSize(60);
    assertThat(audit.events().get(0).code()).isEqualTo(401);
    assertThat(audit.events().get(0).subject().user()).isEqualTo("holdfast:anonymous");
  }

  @Test
  void writesAreRefusedWhileALogThatIsRequiredCannotBeWritten() {
    ApiHandler api = handler(audit);
    audit.refuseWrites(true);
    assertThat(code(api, "a", "DELETE", BASE + "volumes/x", "")).isEqualTo(503);
    assertThat(code(api, "a", "GET", BASE + "volumes", "")).isEqualTo(200);
    assertThat(code(api, NODE, "DELETE", BASE + "leases/x", "")).isEqualTo(404);
    assertThat(code(api, "a", "DELETE", BASE + "settings/audit-required", "")).isEqualTo(404);
    String review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    assertThat(code(api, "a", "POST", review, "{}")).isEqualTo(201);
    audit.refuseWrites(false);
    assertThat(code(api, "a", "DELETE", BASE + "volumes/x", "")).isEqualTo(404);
  }
}
