package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.access.AccessBinding;
import dev.holdfast.access.AccessBindingSpec;
import dev.holdfast.access.AccessControl;
import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.AccessRole;
import dev.holdfast.access.AccessRoleSpec;
import dev.holdfast.access.AccessRule;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.AccessTokenSpec;
import dev.holdfast.access.Caller;
import dev.holdfast.access.TokenSecret;
import dev.holdfast.apiserver.internal.auth.KnownMembers;
import dev.holdfast.apiserver.internal.auth.UserCertificates;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.resources.WatchSettings;
import dev.holdfast.authorization.Authorization;
import dev.holdfast.error.StorageException;
import dev.holdfast.http.PieceSource;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each role against each kind and verb, at the interface of the API. */
class RightsMatrixTest {
  private static final String BASE = "/apis/holdfast.dev/v1/";
  private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");
  private static final List<String> ROLES =
      List.of("view", "operate", "admin", "metrics", "support", "absent");
  private static final Set<String> RIGHTS = Set.of("accesstokens", "accessroles", "accessbindings");
  private static final Set<String> OPERATED =
      Set.of(
          "volumes",
          "volumeattachments",
          "snapshots",
          "backups",
          "backupbackingimages",
          "recurringjobs",
          "backingimages");

  private final ResourceStore store = new MemoryResourceStore();
  private final KeptAuditLog audit = new KeptAuditLog();
  private final ObjectMapper mapper = new ObjectMapper();

  /** Verbs, the requests that have them, and the rest of the path. */
  private enum Verb {
    GET("GET", "/x"),
    LIST("GET", ""),
    WATCH("GET", "?watch"),
    CREATE("POST", ""),
    UPDATE("PUT", "/x"),
    PATCH("PATCH", "/x"),
    STATUS("PATCH", "/x/status"),
    DELETE("DELETE", "/x"),
    DELETECOLLECTION("DELETE", "?dryRun");

    private final String method;
    private final String rest;

    Verb(String method, String rest) {
      this.method = method;
      this.rest = rest;
    }

    boolean isRead() {
      return method.equals("GET");
    }
  }

  /** The expectation, written down apart from the rules of the product. */
  private static boolean permitted(String role, String kind, Verb verb) {
    boolean reads =
        verb.isRead()
            && !kind.equals("accesstokens")
            && !List.of("metrics", "absent").contains(role);
    boolean changes = verb == Verb.CREATE || verb == Verb.UPDATE || verb == Verb.PATCH;
    return switch (role) {
      case "admin" -> true;
      case "operate" ->
          reads
              || (changes && OPERATED.contains(kind))
              || (List.of("nodes", "deletedvolumes").contains(kind)
                  && (verb == Verb.UPDATE || verb == Verb.PATCH));
      default -> reads;
    };
  }

  private String token(String name, String role, Optional<Instant> end) throws StorageException {
    TokenSecret secret = TokenSecret.random();
    AccessToken unused =
        store.create(
            AccessToken.of(
                name,
                AccessTokenSpec.EMPTY
                    .withRole(role)
                    .withSecretHash(secret.hash())
                    .withExpiresAt(end)));
    return secret.text();
  }

  private ApiHandler handler(AccessControl access, OpenStreams streams) {
    return RunningServer.handler(
        new KnownMembers("a", true, () -> Optional.of(new FakeMembers("node-2"))),
        "0.1.0",
        new RunningServer.Content(
            store, KindCatalogue.load(), new Extensions(), access, audit, UserCertificates.none()),
        WatchSettings.DEFAULT,
        streams,
        Clock.systemUTC());
  }

  private ApiHandler handler() {
    return handler(access(Clock.systemUTC()), new OpenStreams());
  }

  private AccessControl access(Clock clock) {
    return Authorization.over(store, clock).control();
  }

  private static ApiResponse send(
      ApiHandler api, String token, String method, String path, String body) {
    Map<String, String> headers =
        Map.of(
            "Authorization",
            "Bearer " + token,
            "Content-Type",
            method.equals("PATCH") ? "application/merge-patch+json" : "application/json");
    return api.handle(
        ApiRequest.of(
                method,
                List.of(path.replaceFirst("\\?.*", "").substring(1).split("/", -1)),
                query(path),
                name -> Optional.ofNullable(headers.get(name)),
                "192.0.2.1")
            .withBody(body));
  }

  private static Map<String, List<String>> query(String path) {
    if (path.endsWith("?watch")) {
      return Map.of("watch", List.of("true"));
    }
    return path.endsWith("?dryRun") ? Map.of("dryRun", List.of("All")) : Map.of();
  }

  private static int code(ApiResponse response) {
    if (response instanceof ApiResponse.Streaming streaming) {
      streaming.source().close();
      return 200;
    }
    return ((ApiResponse.Content) response).code();
  }

  private JsonNode tree(ApiResponse response) throws Exception {
    ApiResponse.Content content = (ApiResponse.Content) response;
    byte[] bytes = new byte[content.body().remaining()];
    content.body().duplicate().get(bytes);
    return mapper.readTree(bytes);
  }

  private static Stream<ResourceKind<?>> kinds() {
    return KindCatalogue.load().kinds().stream();
  }

  /** Returns role, kind and verb of each request that is decided otherwise than expected. */
  private List<String> deviations(AccessControl access) throws Exception {
    List<String> deviations = new ArrayList<>();
    ApiHandler api = handler(access, new OpenStreams());
    for (String role : ROLES) {
      String token =
          token("t-" + role + "-" + System.identityHashCode(api), role, Optional.empty());
      for (ResourceKind<?> kind : kinds().toList()) {
        for (Verb verb : Verb.values()) {
          int code = code(send(api, token, verb.method, BASE + kind.plural() + verb.rest, "{}"));
          boolean allowed = code != 403;
          if (code == 401 || allowed != permitted(role, kind.plural(), verb)) {
            deviations.add(role + " " + kind.plural() + " " + verb + " " + code);
          }
        }
      }
    }
    return deviations;
  }

  @Test
  void eachRolePermitsExactlyItsVerbsOnEachKind() throws Exception {
    assertThat(kinds().map(ResourceKind::plural)).containsAll(OPERATED).containsAll(RIGHTS);
    assertThat(deviations(access(Clock.systemUTC()))).isEmpty();
  }

  /** Decisions of which one check is skipped. */
  private record Mutant(AccessControl access, String role, String verb) implements AccessControl {
    @Override
    public Optional<Caller> callerOf(String token) throws StorageException {
      return access.callerOf(token);
    }

    @Override
    public Optional<Caller> callerWith(String hash) throws StorageException {
      return access.callerWith(hash);
    }

    @Override
    public AccessDecision decide(Caller caller, AccessRequest request) {
      return caller.role().equals(role) && request.verb().equals(verb)
          ? AccessDecision.byRole("mutant")
          : access.decide(caller, request);
    }

    @Override
    public List<AccessRule> rulesOf(Caller caller) {
      return access.rulesOf(caller);
    }

    @Override
    public boolean used(Caller caller, String source) {
      return access.used(caller, source);
    }
  }

  @Test
  void matrixFindsARoleCheckThatIsSkipped() throws Exception {
    AccessControl access = access(Clock.systemUTC());
    assertThat(deviations(new Mutant(access, "view", "delete"))).isNotEmpty();
    assertThat(deviations(new Mutant(access, "operate", "deletecollection"))).isNotEmpty();
    assertThat(deviations(new Mutant(access, "metrics", "watch"))).isNotEmpty();
  }

  @Test
  void removedExpiredAndMistypedTokensAreRefused() throws Exception {
    String removed = token("removed", "admin", Optional.empty());
    String expired = token("expired", "admin", Optional.of(NOW));
    String valid = token("valid", "admin", Optional.of(NOW.plusSeconds(1)));
    ApiHandler api = handler(access(Clock.fixed(NOW, ZoneOffset.UTC)), new OpenStreams());
    assertThat(code(send(api, removed, "GET", BASE + "nodes", ""))).isEqualTo(200);
    assertThat(code(send(api, valid, "GET", BASE + "nodes", ""))).isEqualTo(200);
    assertThat(code(send(api, expired, "GET", BASE + "nodes", ""))).isEqualTo(401);
    String mistyped =
        valid.substring(0, 9) + (valid.charAt(9) == 'A' ? 'B' : 'A') + valid.substring(10);
    assertThat(code(send(api, mistyped, "GET", BASE + "nodes", ""))).isEqualTo(401);

    store.delete(AccessToken.KIND, "removed", "");

    await(() -> code(send(api, removed, "GET", BASE + "nodes", "")) == 401);
  }

  private static void await(java.util.function.BooleanSupplier condition) {
    Instant limit = Instant.now().plus(Duration.ofSeconds(30));
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(limit);
      Thread.onSpinWait();
    }
  }

  @Test
  void removalOfATokenEndsItsWatch() throws Exception {
    String token = token("watcher", "view", Optional.empty());
    OpenStreams streams = new OpenStreams();
    ApiHandler api = handler(access(Clock.systemUTC()), streams);
    ApiResponse.Streaming watch =
        (ApiResponse.Streaming) send(api, token, "GET", BASE + "volumes?watch", "");
    watch.source().open(() -> {});
    assertThat(watch.source().next().last()).isFalse();

    store.delete(AccessToken.KIND, "watcher", "");

    await(() -> watch.source().next().last());
    watch.source().close();
    streams.close();
  }

  @Test
  void streamWhoseRightCannotBeCheckedEndsAndOthersContinue() {
    List<String> closed = new ArrayList<>();
    OpenStreams streams = new OpenStreams();
    ApiResponse.Streaming broken =
        streams.bound(
            streaming("broken", closed),
            () -> {
              throw new IllegalStateException("planted");
            });
    ApiResponse.Streaming refused = streams.bound(streaming("refused", closed), () -> false);
    ApiResponse.Streaming allowed = streams.bound(streaming("allowed", closed), () -> true);

    streams.sweep();

    streams.close();
    assertThat(broken.source().next().last()).isTrue();
    assertThat(refused.source().next().last()).isTrue();
    assertThat(allowed.source().next().last()).isFalse();
    for (ApiResponse.Streaming each : List.of(broken, refused, allowed)) {
      each.source().close();
    }
    assertThat(closed).containsExactly("broken", "refused", "allowed");
  }

  private static ApiResponse.Streaming streaming(String name, List<String> closed) {
    return new ApiResponse.Streaming(
        "text/plain",
        new PieceSource() {
          @Override
          public void open(Runnable wake) {}

          @Override
          public Piece next() {
            return Piece.none(Duration.ofMinutes(1));
          }

          @Override
          public void close() {
            closed.add(name);
          }
        });
  }

  @Test
  void roleOfTheClusterGivesRightsByNameAndLabel() throws Exception {
    AccessRule rule =
        new AccessRule(
            List.of("get", "patch", "delete"),
            List.of("nodes"),
            List.of("vm-*-x"),
            Map.of("team", "a"),
            List.of());
    AccessRole unused =
        store.create(AccessRole.of("team-a", AccessRoleSpec.EMPTY.withRules(List.of(rule))));
    for (String name : List.of("vm-1-x", "vm-2-x", "vm-1-y")) {
      Node node = Node.of(name, NodeSpec.EMPTY);
      Map<String, String> labels = Map.of("team", name.equals("vm-2-x") ? "b" : "a");
      Node created = store.create(node.withMetadata(node.metadata().withLabels(labels)));
      assertThat(created.name()).isEqualTo(name);
    }
    String token = token("a", "team-a", Optional.empty());
    ApiHandler api = handler();
    assertThat(code(send(api, token, "GET", BASE + "nodes/vm-1-x", ""))).isEqualTo(200);
    assertThat(code(send(api, token, "GET", BASE + "nodes/vm-2-x", ""))).isEqualTo(403);
    assertThat(code(send(api, token, "GET", BASE + "nodes/vm-1-y", ""))).isEqualTo(403);
    assertThat(code(send(api, token, "GET", BASE + "nodes", ""))).isEqualTo(403);
    assertThat(code(send(api, token, "DELETE", BASE + "nodes/vm-1-x", ""))).isEqualTo(200);
  }

  @Test
  void bindingAddsARoleAndNoRoleOfTheClusterGivesRightsAway() throws Exception {
    String token = token("b", "view", Optional.empty());
    AccessRule everything =
        new AccessRule(List.of("*"), List.of("*/*"), List.of(), Map.of(), List.of());
    AccessRole role =
        store.create(AccessRole.of("all", AccessRoleSpec.EMPTY.withRules(List.of(everything))));
    AccessBinding binding =
        store.create(
            AccessBinding.of(
                "b", AccessBindingSpec.EMPTY.withRole(role.name()).withUsers(List.of("b"))));
    assertThat(binding.spec().role()).isEqualTo("all");
    ApiHandler api = handler();
    assertThat(code(send(api, token, "DELETE", BASE + "settings/x", ""))).isEqualTo(404);
    assertThat(code(send(api, token, "DELETE", BASE + "accesstokens/x", ""))).isEqualTo(403);
    assertThat(code(send(api, token, "PATCH", BASE + "accessroles/all", "{}"))).isEqualTo(403);
  }

  @Test
  void operatorCordonsANodeAndReachesNoFieldOfTheAdministrator() throws Exception {
    Node node =
        store.create(
            Node.of(
                "n", NodeSpec.EMPTY.withDisks(Map.of("d", DiskSpec.EMPTY.withPath("/disks/d")))));
    String token = token("o", "operate", Optional.empty());
    ApiHandler api = handler();
    String path = BASE + "nodes/" + node.name();
    List<String> permitted =
        List.of(
            "{\"spec\":{\"allowScheduling\":false,\"evictionRequested\":true}}",
            "{\"spec\":{\"disks\":{\"d\":{\"evictionRequested\":true}}}}",
            "{\"metadata\":{\"annotations\":{\"holdfast.dev/cordoned\":\"true\"}}}");
    for (String patch : permitted) {
      assertThat(code(send(api, token, "PATCH", path, patch))).as(patch).isEqualTo(200);
    }
    List<String> refused =
        List.of(
            "{\"metadata\":{\"annotations\":{\"upgrade.holdfast.dev/request\":\"{}\"}}}",
            "{\"spec\":{\"disks\":{\"e\":{\"path\":\"/etc\"}}}}",
            "{\"spec\":{\"tags\":[\"x\"]}}");
    for (String patch : refused) {
      assertThat(code(send(api, token, "PATCH", path, patch))).as(patch).isEqualTo(403);
    }
    String volumes = BASE + "volumes";
    String volume = ApiClient.volume("\"name\":\"v\"", "\"size\":\"1Gi\"");
    assertThat(code(send(api, token, "POST", volumes, volume))).isEqualTo(201);
    String salvage = "{\"spec\":{\"salvage\":{\"id\":\"1\",\"replicas\":[\"r\"]}}}";
    assertThat(code(send(api, token, "PATCH", volumes + "/v", salvage))).isEqualTo(403);
  }

  @Test
  void nodeRemovesNoWholeKindAndGivesNoRights() {
    ApiHandler api = handler();
    String node = "credential-of-node-2";
    kinds()
        .forEach(
            kind ->
                assertThat(code(send(api, node, "DELETE", BASE + kind.plural(), "")))
                    .as(kind.plural())
                    .isEqualTo(403));
    for (String kind : RIGHTS) {
      assertThat(code(send(api, node, "GET", BASE + kind, ""))).isEqualTo(200);
      assertThat(code(send(api, node, "POST", BASE + kind, "{}"))).isEqualTo(403);
      assertThat(code(send(api, node, "DELETE", BASE + kind + "/x", ""))).isEqualTo(403);
    }
  }

  @Test
  void nodeReportsOfAnotherNodeOnlyThatItIsSilent() throws Exception {
    Node node = store.create(Node.of("node-1", NodeSpec.EMPTY));
    List<Condition> conditions =
        Condition.with(
            Condition.with(List.of(), "Ready", Condition.Status.TRUE, "R", "", NOW),
            "Other",
            Condition.Status.TRUE,
            "R",
            "",
            NOW);
    node = store.updateStatus(node.withStatus(node.status().withConditions(conditions)));
    assertThat(node.status().conditions()).hasSize(2);
    ApiHandler api = handler();
    String path = BASE + "nodes/node-1/status";
    String ready = "{\"type\":\"Ready\",\"status\":\"%s\",\"reason\":\"R\"}";
    String other =
        "{\"type\":\"Other\",\"status\":\"True\",\"reason\":\"R\","
            + "\"lastTransitionTime\":\"2026-11-28T12:00:00Z\"}";
    String patch = "{\"status\":{\"conditions\":[%s]}}";
    String credential = "credential-of-node-2";
    for (String refused :
        List.of("", ready.formatted("Unknown"), ready.formatted("False") + "," + other)) {
      assertThat(code(send(api, credential, "PATCH", path, patch.formatted(refused))))
          .as(refused)
          .isEqualTo(403);
    }
    String address = "{\"status\":{\"address\":\"192.0.2.66\"}}";
    assertThat(code(send(api, credential, "PATCH", path, address))).isEqualTo(403);
    String silent = patch.formatted(ready.formatted("Unknown") + "," + other);
    assertThat(code(send(api, credential, "PATCH", path, silent))).isEqualTo(200);
    assertThat(code(send(api, "a", "PATCH", path, address))).isEqualTo(200);
  }

  @Test
  void callerReceivesItsNameAndItsRights() throws Exception {
    String token = token("alice", "view", Optional.empty());
    ApiHandler api = handler();
    JsonNode self =
        tree(send(api, token, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}"));
    assertThat(self.at("/status/userInfo/username").asText()).isEqualTo("alice");
    assertThat(canI(api, token, "get", "volumes")).isTrue();
    assertThat(canI(api, token, "delete", "volumes")).isFalse();
    assertThat(canI(api, token, "get", "accesstokens")).isFalse();
    assertThat(canI(api, "a", "delete", "volumes")).isTrue();
    JsonNode rules =
        tree(
            send(
                api,
                token,
                "POST",
                "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                "{\"spec\":{\"namespace\":\"default\"}}"));
    assertThat(rules.at("/status/resourceRules/0/verbs").toString()).contains("watch");
  }

  private boolean canI(ApiHandler api, String token, String verb, String plural) throws Exception {
    String body =
        "{\"spec\":{\"resourceAttributes\":{\"verb\":\""
            + verb
            + "\",\"group\":\"holdfast.dev\",\"resource\":\""
            + plural
            + "\"}}}";
    ApiResponse answer =
        send(api, token, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body);
    assertThat(code(answer)).isEqualTo(201);
    return tree(answer).at("/status/allowed").asBoolean();
  }
}
