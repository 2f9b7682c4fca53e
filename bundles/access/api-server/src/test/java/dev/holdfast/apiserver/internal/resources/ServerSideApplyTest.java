package dev.holdfast.apiserver.internal.resources;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.apiserver.internal.ApiClient;
import dev.holdfast.apiserver.internal.ApiClient.Answer;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerSideApplyTest {
  private static final String DEMO = ApiClient.VOLUMES + "/demo";

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ApiClient client = new ApiClient(store);

  private Answer apply(String query, String spec) throws Exception {
    String document =
        "apiVersion: holdfast.dev/v1\nkind: Volume\nmetadata:\n  name: demo\nspec:\n" + spec;
    return client.send(
        "PATCH",
        DEMO + "?" + query,
        Map.of("Content-Type", "application/apply-patch+yaml"),
        document);
  }

  private Volume stored() throws Exception {
    return store.get(Volume.KIND, "demo").orElseThrow();
  }

  private static List<String> managers(Answer answer) {
    return answer.body().at("/metadata/managedFields").findValuesAsText("manager");
  }

  @Test
  void applyCreatesAndUpdatesAndKeepsEqualResource() throws Exception {
    assertThat(apply("fieldManager=ann", "  size: 1Gi\n").code()).isEqualTo(201);
    Answer changed = apply("fieldManager=ann", "  size: 2Gi\n");
    assertThat(changed.code()).isEqualTo(200);
    assertThat(managers(changed)).containsExactly("ann");
    assertThat(changed.body().at("/metadata/managedFields/0/fieldsV1").toString())
        .isEqualTo("{\"f:spec\":{\"f:size\":{}}}");
    String version = stored().metadata().resourceVersion();
    assertThat(apply("fieldManager=ann", "  size: 2048Mi\n").code()).isEqualTo(200);
    assertThat(stored().metadata().resourceVersion()).isEqualTo(version);
  }

  @Test
  void aConflictNamesManagerAndFieldsAndForceTakesThem() throws Exception {
    apply("fieldManager=ann", "  size: 1Gi\n  numberOfReplicas: 1\n");
    Answer refused = apply("fieldManager=bob", "  size: 2Gi\n  numberOfReplicas: 2\n");
    assertThat(refused.code()).isEqualTo(409);
    assertThat(refused.reason()).isEqualTo("Conflict");
    assertThat(refused.message())
        .isEqualTo(
            "Apply failed with 2 conflicts: conflicts with \"ann\":\n- .spec.numberOfReplicas\n-"
                + " .spec.size");
    assertThat(refused.body().at("/details/causes/1/field").asText()).isEqualTo(".spec.size");
    assertThat(refused.body().at("/details/causes/1/reason").asText())
        .isEqualTo("FieldManagerConflict");
    assertThat(stored().spec().size()).isEqualTo(Quantity.parse("1Gi"));
    Answer forced = apply("fieldManager=bob&force=true", "  size: 2Gi\n  numberOfReplicas: 2\n");
    assertThat(managers(forced)).containsExactly("bob");
    assertThat(stored().spec().size()).isEqualTo(Quantity.parse("2Gi"));
  }

  @Test
  void otherWritesOfTheApiTakeOwnershipOfChangedFields() throws Exception {
    apply("fieldManager=ann", "  size: 1Gi\n  numberOfReplicas: 1\n");
    String patch = "{\"spec\":{\"size\":\"2Gi\"}}";
    Answer patched =
        client.send(
            "PATCH",
            DEMO,
            Map.of("Content-Type", "application/merge-patch+json", "User-Agent", "curl/7.88"),
            patch);
    assertThat(managers(patched)).containsExactly("ann", "curl");
    Answer refused = apply("fieldManager=ann", "  size: 1Gi\n");
    assertThat(refused.message())
        .contains("conflict with \"curl\" using holdfast.dev/v1 at ")
        .endsWith(": .spec.size");
  }

  @Test
  void fieldsChangedByControllersBelongToThem() throws Exception {
    apply("fieldManager=ann", "  size: 1Gi\n  nodeID: n1\n");
    Volume demo = stored();
    store.update(demo.withSpec(demo.spec().withNodeID("n2")));
    assertThat(apply("fieldManager=ann", "  nodeID: n1\n").message())
        .contains("\"holdfast\" using")
        .endsWith(": .spec.nodeID");
    Volume again = stored();
    store.update(again.withMetadata(again.metadata().plusFinalizer("x/y")));
    assertThat(apply("fieldManager=ann", "  size: 1Gi\n").code()).isEqualTo(200);
    assertThat(stored().spec().nodeID()).isEqualTo("n2");
    assertThat(stored().metadata().finalizers()).containsExactly("x/y");
  }

  @Test
  void replacementWithoutManagedFieldsKeepsThemAndAnEmptyEntryClearsThem() throws Exception {
    apply("fieldManager=ann", "  size: 1Gi\n  numberOfReplicas: 1\n");
    String version = stored().metadata().resourceVersion();
    String body =
        ApiClient.volume(
            "\"name\":\"demo\",\"resourceVersion\":\"" + version + "\"",
            "\"size\":\"1Gi\",\"numberOfReplicas\":2");
    Answer replaced = client.send("PUT", DEMO + "?fieldManager=bob", Map.of(), body);
    assertThat(managers(replaced)).containsExactly("ann", "bob");
    client.merge("demo", "{\"metadata\":{\"managedFields\":[{}]}}");
    assertThat(stored().metadata().managedFields()).isEmpty();
  }

  @Test
  void preconditionsAndMistakesAreRefused() throws Exception {
    assertThat(apply("force=false", "  size: 1Gi\n").message())
        .contains("fieldManager: Required value");
    apply("fieldManager=ann", "  size: 1Gi\n");
    assertThat(apply("fieldManager=ann", "  size: 17\n").code()).isEqualTo(422);
    assertThat(apply("fieldManager=ann&fieldValidation=Strict", "  sise: 1Gi\n").message())
        .contains("unknown field \"spec.sise\"");
    assertThat(patched("metadata: {name: demo, resourceVersion: \"99\"}").code()).isEqualTo(409);
    assertThat(patched("metadata: {name: demo, uid: other}").code()).isEqualTo(409);
    assertThat(patched("metadata: {name: another}").code()).isEqualTo(400);
    assertThat(patched("metadata: {managedFields: [{manager: x}]}").code()).isEqualTo(400);
    assertThat(patched("spec: [1]").code()).isEqualTo(422);
    assertThat(patched("- 1").code()).isEqualTo(400);
    assertThat(patched("a: [").code()).isEqualTo(400);
    assertThat(stored().spec().size()).isEqualTo(Quantity.parse("1Gi"));
  }

  private Answer patched(String yaml) throws Exception {
    String header = "apiVersion: holdfast.dev/v1\nkind: Volume\n";
    return client.send(
        "PATCH",
        DEMO + "?fieldManager=ann",
        Map.of("Content-Type", "application/apply-patch+yaml"),
        yaml.startsWith("-") ? yaml : header + yaml);
  }

  @Test
  void aDryRunKeepsNothing() throws Exception {
    assertThat(apply("fieldManager=ann&dryRun=All", "  size: 1Gi\n").code()).isEqualTo(201);
    assertThat(store.get(Volume.KIND, "demo")).isEmpty();
  }

  @Test
  void aStatusIsNotApplied() throws Exception {
    apply("fieldManager=ann", "  size: 1Gi\nstatus:\n  state: attached\n");
    assertThat(stored().status().state().toString()).isNotEqualTo("attached");
    Answer refused =
        client.send(
            "PATCH",
            DEMO + "/status?fieldManager=ann",
            Map.of("Content-Type", "application/apply-patch+yaml"),
            "{}");
    assertThat(refused.code()).isEqualTo(415);
  }
}
