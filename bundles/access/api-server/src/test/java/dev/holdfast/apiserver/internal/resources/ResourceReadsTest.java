package dev.holdfast.apiserver.internal.resources;

import static dev.holdfast.apiserver.internal.ApiClient.VOLUMES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.apiserver.internal.ApiClient;
import dev.holdfast.apiserver.internal.ApiClient.Answer;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResourceReadsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T06:00:00Z");
  private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

  private final MemoryResourceStore store =
      new MemoryResourceStore(Clock.fixed(NOW.minusSeconds(600), ZoneOffset.UTC), 100);
  private final ApiClient client = new ApiClient(store, Clock.fixed(NOW, ZoneOffset.UTC));

  private void create(String... names) throws Exception {
    for (String name : names) {
      store.create(Volume.of(name, VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"))));
    }
  }

  private static List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.path("items").forEach(item -> names.add(item.at("/metadata/name").asText()));
    return names;
  }

  @Test
  void tablesHaveNameColumnsAndAge() throws Exception {
    create("demo");
    Answer answer = client.send("GET", VOLUMES, Map.of("Accept", TABLE), "");
    assertThat(answer.body().path("kind").asText()).isEqualTo("Table");
    List<String> headings = new ArrayList<>();
    answer.body().path("columnDefinitions").forEach(c -> headings.add(c.path("name").asText()));
    assertThat(headings).startsWith("Name", "Size", "State").endsWith("Age");
    JsonNode cells = answer.body().at("/rows/0/cells");
    assertThat(cells).hasSize(headings.size());
    assertThat(cells.get(0).asText()).isEqualTo("demo");
    assertThat(cells.get(headings.size() - 1).asText()).isEqualTo("10m");
    assertThat(answer.body().at("/rows/0/object/kind").asText()).isEqualTo("PartialObjectMetadata");
  }

  @Test
  void tablesContainTheRequestedObjects() throws Exception {
    create("demo");
    Map<String, String> accept = Map.of("Accept", TABLE);
    assertThat(
            client
                .send("GET", VOLUMES + "?includeObject=Object", accept, "")
                .body()
                .at("/rows/0/object/kind")
                .asText())
        .isEqualTo("Volume");
    assertThat(
            client
                .send("GET", VOLUMES + "?includeObject=None", accept, "")
                .body()
                .at("/rows/0")
                .has("object"))
        .isFalse();
  }

  @Test
  void metadataCanBeRequestedAlone() throws Exception {
    create("demo");
    String accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    JsonNode list = client.send("GET", VOLUMES, Map.of("Accept", accept), "").body();
    assertThat(list.path("kind").asText()).isEqualTo("PartialObjectMetadataList");
    assertThat(list.at("/items/0").has("spec")).isFalse();
  }

  @Test
  void formsThatAreNotServedAreRefused() throws Exception {
    Map<String, String> accept = Map.of("Accept", "application/vnd.kubernetes.protobuf");
    assertThat(client.send("GET", VOLUMES, accept, "").code()).isEqualTo(406);
    Map<String, String> either =
        Map.of("Accept", "application/vnd.kubernetes.protobuf,application/json");
    assertThat(client.send("GET", VOLUMES, either, "").code()).isEqualTo(200);
  }

  @Test
  void pagesContinueAfterTheLastName() throws Exception {
    create("a", "b", "c", "d", "e");
    JsonNode first = client.get(VOLUMES + "?limit=2").body();
    assertThat(names(first)).containsExactly("a", "b");
    assertThat(first.at("/metadata/remainingItemCount").asInt()).isEqualTo(3);
    create("bb");
    String token = first.at("/metadata/continue").asText();
    JsonNode second = client.get(VOLUMES + "?limit=2&continue=" + token).body();
    assertThat(names(second)).containsExactly("bb", "c");
    assertThat(second.at("/metadata/resourceVersion"))
        .isEqualTo(first.at("/metadata/resourceVersion"));
    token = second.at("/metadata/continue").asText();
    JsonNode third = client.get(VOLUMES + "?limit=2&continue=" + token).body();
    assertThat(names(third)).containsExactly("d", "e");
    assertThat(third.at("/metadata").has("continue")).isFalse();
    assertThat(client.get(VOLUMES + "?continue=x").code()).isEqualTo(400);
  }

  @Test
  void fieldsSelect() throws Exception {
    create("a", "b");
    assertThat(names(client.get(VOLUMES + "?fieldSelector=metadata.name=a").body()))
        .containsExactly("a");
    assertThat(names(client.get(VOLUMES + "?fieldSelector=metadata.name!=a").body()))
        .containsExactly("b");
    assertThat(names(client.get(VOLUMES + "?fieldSelector=spec.nodeID=").body())).hasSize(2);
    assertThat(client.get(VOLUMES + "?fieldSelector=spec.no=1").code()).isEqualTo(400);
    assertThat(client.get(VOLUMES + "?fieldSelector=name").code()).isEqualTo(400);
    assertThat(client.get(VOLUMES + "?labelSelector=a in b").code()).isEqualTo(400);
  }

  @Test
  void absentResourceIsNotFound() throws Exception {
    Answer answer = client.get(VOLUMES + "/nope");
    assertThat(answer.code()).isEqualTo(404);
    assertThat(answer.message()).isEqualTo("volumes.holdfast.dev \"nope\" not found");
    for (String path :
        List.of(
            "/apis/holdfast.dev/v1/nopes",
            "/apis/holdfast.dev/v2/volumes",
            "/apis/other.dev/v1",
            "/api/v1/pods",
            "/nope",
            VOLUMES + "/a/scale")) {
      assertThat(client.get(path).code()).as(path).isEqualTo(404);
    }
  }

  @Test
  void expiredAndInvalidVersionsAreReportedBeforeTheWatchStarts() throws Exception {
    create("a");
    for (int i = 0; i < 200; i++) {
      Volume volume = store.get(Volume.KIND, "a").orElseThrow();
      store.updateStatus(volume.withStatus(volume.status().withObservedGeneration(i + 1L)));
    }
    assertThat(client.get(VOLUMES + "?watch=true&resourceVersion=1").code()).isEqualTo(410);
    assertThat(client.get(VOLUMES + "?watch=true&resourceVersion=x").code()).isEqualTo(400);
  }

  @Test
  void everythingButHealthAndVersionNeedsTheToken() throws Exception {
    Map<String, String> foreign = Map.of("Authorization", "Bearer x");
    for (String path : List.of(VOLUMES, "/apis", "/api", "/openapi/v2", "/nope")) {
      assertThat(client.send("GET", path, foreign, "").code()).as(path).isEqualTo(401);
    }
    assertThat(client.send("GET", "/version", foreign, "").code()).isEqualTo(200);
    for (String path : List.of("/livez", "/readyz", "/healthz")) {
      ApiResponse.Content content = (ApiResponse.Content) client.raw("GET", path, foreign, "");
      assertThat(content.code()).as(path).isEqualTo(200);
    }
  }
}
