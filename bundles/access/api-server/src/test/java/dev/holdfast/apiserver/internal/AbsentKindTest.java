package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Answers of the API while the bundle of a kind is absent, and after its return. */
class AbsentKindTest {
  private static final String BASE = "/apis/holdfast.dev/v1";
  private static final String SNAPSHOT = BASE + "/snapshots/nightly";

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final Catalogue catalogue = new Catalogue();
  private final ApiClient api = new ApiClient(store, catalogue, Clock.systemUTC());

  private static final class Catalogue implements KindCatalogue {
    private List<ResourceKind<?>> present = KindCatalogue.load().kinds();

    void remove(ResourceKind<?> kind) {
      present = present.stream().filter(other -> !other.equals(kind)).toList();
    }

    void restore() {
      present = KindCatalogue.load().kinds();
    }

    @Override
    public List<ResourceKind<?>> kinds() {
      return present;
    }
  }

  private Snapshot snapshot() throws Exception {
    store.create(Volume.of("data", VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"))));
    return store.create(Snapshot.of("nightly", SnapshotSpec.EMPTY.withVolume("data")));
  }

  @Test
  void resourcesStayStoredWhileTheApiAnswersNotFound() throws Exception {
    Snapshot stored = snapshot();
    catalogue.remove(Snapshot.KIND);

    assertThat(api.get(SNAPSHOT).code()).isEqualTo(404);
    assertThat(api.get(BASE + "/snapshots").code()).isEqualTo(404);
    assertThat(api.send("DELETE", SNAPSHOT, Map.of(), "").code()).isEqualTo(404);
    assertThat(api.send("DELETE", BASE + "/snapshots", Map.of(), "").code()).isEqualTo(404);
    assertThat(store.get(Snapshot.KIND, "nightly")).contains(stored);
  }

  /** This difference lets a client distinguish an absent kind from a deleted resource. */
  @Test
  void answerNamesNoResourceOfAnAbsentKind() throws Exception {
    JsonNode deleted = api.get(SNAPSHOT).body();
    catalogue.remove(Snapshot.KIND);
    JsonNode absent = api.get(SNAPSHOT).body();

    assertThat(deleted.at("/details/kind").asText()).isEqualTo("snapshots");
    assertThat(absent.path("details").isMissingNode()).isTrue();
  }

  @Test
  void resourcesAreServedAgainWhenTheKindReturns() throws Exception {
    Snapshot stored = snapshot();
    catalogue.remove(Snapshot.KIND);
    assertThat(api.get(SNAPSHOT).code()).isEqualTo(404);
    catalogue.restore();

    ApiClient.Answer found = api.get(SNAPSHOT);

    assertThat(found.code()).isEqualTo(200);
    assertThat(found.body().at("/metadata/uid").asText()).isEqualTo(stored.metadata().uid());
  }

  @Test
  void discoveryAndOpenApiFollowTheCatalogue() throws Exception {
    assertThat(documents()).allMatch(text -> text.contains("snapshots"));
    catalogue.remove(Snapshot.KIND);
    assertThat(documents()).noneMatch(text -> text.contains("snapshots"));
    catalogue.restore();
    assertThat(documents()).allMatch(text -> text.contains("snapshots"));
  }

  private List<String> documents() throws Exception {
    return List.of(
        api.get(BASE).body().toString(),
        api.send("GET", "/apis", Map.of("Accept", AGGREGATED), "").body().toString(),
        api.get("/openapi/v2").body().path("paths").toString(),
        api.get("/openapi/v3" + BASE).body().path("paths").toString());
  }

  private static final String AGGREGATED =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

  @Test
  void indexOfOpenApiChangesWithTheCatalogue() throws Exception {
    JsonNode before = api.get("/openapi/v3").body();
    catalogue.remove(Snapshot.KIND);

    assertThat(api.get("/openapi/v3").body()).isNotEqualTo(before);
  }
}
