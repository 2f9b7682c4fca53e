package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.apiserver.internal.auth.KnownMembers;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.resources.WatchSettings;
import dev.holdfast.authorization.Authorization;
import dev.holdfast.cluster.ClusterMembers;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rights of the administrator, a node and a stranger. */
class RolesTest {
  private static final String ADMIN = "admin";
  private static final String NODE = "credential-of-node-2";
  private static final String BASE = "/apis/holdfast.dev/v1/";

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ApiHandler handler =
      RunningServer.handler(
          new KnownMembers(ADMIN, true, () -> Optional.of(new FakeMembers("node-2"))),
          "0.1.0",
          content(),
          WatchSettings.DEFAULT,
          new OpenStreams(),
          Clock.systemUTC());

  private RunningServer.Content content() {
    return RunningServer.Content.of(
        store, KindCatalogue.load(), Authorization.over(store, Clock.systemUTC()).control());
  }

  @BeforeEach
  void makeTwoNodes() throws Exception {
    store.create(Node.of("node-1", NodeSpec.EMPTY));
    store.create(Node.of("node-2", NodeSpec.EMPTY));
  }

  private ApiResponse.Content send(ApiHandler to, String who, String request, String body) {
    String[] parts = request.split(" ", -1);
    Map<String, String> headers =
        Map.of("Authorization", "Bearer " + who, "Content-Type", "application/json");
    return (ApiResponse.Content)
        to.handle(
            ApiRequest.of(
                    parts[0],
                    List.of(parts[1].substring(1).split("/", -1)),
                    Map.of(),
                    name -> Optional.ofNullable(headers.get(name)),
                    "192.0.2.1")
                .withBody(body));
  }

  private int code(String who, String request, String body) {
    return send(handler, who, request, body).code();
  }

  private static String resource(String kind, String name) {
    return "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\""
        + kind
        + "\",\"metadata\":{\"name\":\""
        + name
        + "\"}}";
  }

  @Test
  void aNodeReadsEverything() {
    for (ResourceKind<?> kind : KindCatalogue.load().kinds()) {
      assertThat(code(NODE, "GET " + BASE + kind.plural(), "")).as(kind.kind()).isEqualTo(200);
    }
  }

  @Test
  void nodeWritesTheFieldsOfControllers() {
    assertThat(code(NODE, "POST " + BASE + "leases", resource("Lease", "l"))).isEqualTo(201);
    assertThat(code(NODE, "DELETE " + BASE + "leases/l", "")).isEqualTo(200);
    assertThat(code(NODE, "PUT " + BASE + "nodes/node-2", current("node-2"))).isEqualTo(200);
    assertThat(code(NODE, "PUT " + BASE + "nodes/node-1/status", current("node-1")))
        .as("liveness of another")
        .isEqualTo(200);
  }

  private String current(String node) {
    ApiResponse.Content answer = send(handler, NODE, "GET " + BASE + "nodes/" + node, "");
    return StandardCharsets.UTF_8.decode(answer.body().duplicate()).toString();
  }

  @Test
  void aNodeDoesNotDecideForTheAdministrator() {
    String setting = resource("Setting", "s");
    String withValue = setting.replaceFirst("}}$", "},\"spec\":{\"value\":\"1\"}}");
    assertThat(code(NODE, "POST " + BASE + "settings", withValue)).isEqualTo(403);
    assertThat(code(NODE, "POST " + BASE + "settings", setting)).as("no value").isEqualTo(201);
    assertThat(code(NODE, "PUT " + BASE + "settings/s", withValue)).isEqualTo(403);
    assertThat(code(NODE, "POST " + BASE + "nodes", resource("Node", "node-3"))).isEqualTo(403);
    assertThat(code(NODE, "POST " + BASE + "systemrestores", resource("SystemRestore", "again")))
        .isEqualTo(403);
    assertThat(code(NODE, "PUT " + BASE + "nodes/node-1", resource("Node", "node-1")))
        .isEqualTo(403);
    assertThat(code(NODE, "DELETE " + BASE + "nodes/node-1", "")).isEqualTo(403);
    assertThat(code(NODE, "DELETE " + BASE + "nodes", "")).isEqualTo(403);
    assertThat(code(NODE, "POST /cluster/v1/tokens", "{}")).isEqualTo(403);
    assertThat(code(NODE, "DELETE /cluster/v1/credentials/node-2", "")).isEqualTo(403);
  }

  @Test
  void nodesReportTheirAuthoritiesAndAdministratorsRotate() {
    String trust = "{\"trusted\":[\"aa\"],\"issuer\":\"aa\"}";
    assertThat(code(NODE, "POST /cluster/v1/trust", trust)).isEqualTo(200);
    assertThat(code(ADMIN, "POST /cluster/v1/trust", trust)).isEqualTo(403);
    assertThat(code("stranger", "POST /cluster/v1/trust", trust)).isEqualTo(401);
    for (String path : List.of("rotation", "rotation/finish")) {
      assertThat(code(NODE, "POST /cluster/v1/" + path, "{\"force\":true}")).isEqualTo(403);
      assertThat(code("stranger", "POST /cluster/v1/" + path, "{}")).isEqualTo(401);
      assertThat(code(ADMIN, "POST /cluster/v1/" + path, "{\"force\":true}")).isEqualTo(200);
      assertThat(code(ADMIN, "POST /cluster/v1/" + path, "{\"force\":1}")).isEqualTo(400);
    }
    assertThat(code("stranger", "GET /cluster/v1/rotation", "")).isEqualTo(401);
    assertThat(code(ADMIN, "GET /cluster/v1/rotation", "")).isEqualTo(200);
    assertThat(code(ADMIN, "POST /cluster/v1/rotation/else", "{}")).isEqualTo(404);
  }

  @Test
  void nodesWriteRecordsOfEnginesAndAdministratorsRemoveThem() {
    String path = BASE + "enginerecords";
    String record =
        "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"EngineRecord\",\"metadata\":{\"name\":\"lvm.a\"},"
            + "\"spec\":{\"engine\":\"lvm\",\"name\":\"a\",\"version\":1,\"writer\":\"w\"}}";
    assertThat(code(NODE, "POST " + path, record)).isEqualTo(201);
    assertThat(code(ADMIN, "GET " + path + "/lvm.a", "")).isEqualTo(200);
    assertThat(code(ADMIN, "DELETE " + path + "/lvm.a", "")).isEqualTo(200);
  }

  @Test
  void aNodeRegistersItself() throws Exception {
    store.delete(Node.KIND, "node-2", "");
    assertThat(code(NODE, "POST " + BASE + "nodes", resource("Node", "node-2"))).isEqualTo(201);
  }

  @Test
  void nodeWithARevokedCredentialIsRejected() {
    FakeMembers members = new FakeMembers("node-2");
    ApiHandler api =
        RunningServer.handler(
            new KnownMembers(ADMIN, true, () -> Optional.of(members)),
            "0.1.0",
            content(),
            WatchSettings.DEFAULT,
            new OpenStreams(),
            Clock.systemUTC());
    assertThat(send(api, NODE, "GET " + BASE + "nodes", "").code()).isEqualTo(200);
    assertThat(send(api, ADMIN, "DELETE /cluster/v1/credentials/node-2", "").code()).isEqualTo(200);
    assertThat(send(api, NODE, "GET " + BASE + "nodes", "").code()).isEqualTo(401);
  }

  @Test
  void callerWhoCannotBeIdentifiedYetReceivesRetryAfter() {
    AtomicReference<ClusterMembers> members = new AtomicReference<>();
    ApiHandler starting =
        RunningServer.handler(
            new KnownMembers(ADMIN, true, () -> Optional.ofNullable(members.get())),
            "0.1.0",
            content(),
            WatchSettings.DEFAULT,
            new OpenStreams(),
            Clock.systemUTC());
    String join = "{\"token\":\"" + FakeMembers.TOKEN.text() + "\",\"request\":\"node-3\"}";
    assertThat(send(starting, NODE, "GET " + BASE + "nodes", "").code()).isEqualTo(503);
    assertThat(send(starting, "stranger", "POST /cluster/v1/join", join).code()).isEqualTo(503);
    assertThat(send(starting, NODE, "GET /readyz", "").code()).isEqualTo(503);
    assertThat(send(starting, ADMIN, "GET " + BASE + "nodes", "").code()).isEqualTo(200);

    members.set(new FakeMembers("node-2"));

    assertThat(send(starting, NODE, "GET " + BASE + "nodes", "").code()).isEqualTo(200);
    assertThat(send(starting, "stranger", "GET " + BASE + "nodes", "").code()).isEqualTo(401);
  }

  @Test
  void unauthenticatedNodeMayOnlyJoin() throws Exception {
    assertThat(code("stranger", "GET /cluster/v1/authority", "")).isEqualTo(200);
    String body = "{\"token\":\"" + FakeMembers.TOKEN.text() + "\",\"request\":\"node-3\"}";
    ApiResponse.Content answer = send(handler, "stranger", "POST /cluster/v1/join", body);
    assertThat(tree(answer).path("credential").asText()).isEqualTo("credential-of-node-3");

    assertThat(code("stranger", "POST /cluster/v1/join", body.replace("hf1", "hf2")))
        .isEqualTo(403);
    assertThat(code("stranger", "POST /cluster/v1/tokens", "{}")).isEqualTo(401);
    assertThat(code("stranger", "POST /cluster/v1/certificates", "{}")).isEqualTo(401);
    assertThat(code("stranger", "DELETE /cluster/v1/credentials/node-2", "")).isEqualTo(401);
    assertThat(code("stranger", "GET " + BASE + "nodes", "")).isEqualTo(401);
  }

  private static JsonNode tree(ApiResponse.Content answer) throws Exception {
    byte[] bytes = new byte[answer.body().remaining()];
    answer.body().duplicate().get(bytes);
    return new ObjectMapper().readTree(bytes);
  }

  @Test
  void malformedRequestIsABadRequest() {
    assertThat(code("", "POST /cluster/v1/join", "not JSON")).isEqualTo(400);
    assertThat(code("", "POST /cluster/v1/join", "{\"token\":\"t\"}")).isEqualTo(400);
    assertThat(code("", "POST /cluster/v1/join", "[]")).isEqualTo(400);
    assertThat(code(ADMIN, "POST /cluster/v1/tokens", "{\"validSeconds\":\"x\"}")).isEqualTo(400);
    assertThat(code(ADMIN, "GET /cluster/v1/elsewhere", "")).isEqualTo(404);
    assertThat(code(ADMIN, "GET /cluster", "")).isEqualTo(404);
  }

  @Test
  void aNodeWithoutTheStoreAdmitsNoOthers() {
    ApiHandler joined =
        RunningServer.handler(
            new KnownMembers(ADMIN, false, Optional::empty),
            "0.1.0",
            content(),
            WatchSettings.DEFAULT,
            new OpenStreams(),
            Clock.systemUTC());
    assertThat(send(joined, ADMIN, "POST /cluster/v1/tokens", "{}").code()).isEqualTo(405);
  }
}
