package dev.holdfast.apiserver.internal.resources;

import static dev.holdfast.apiserver.internal.ApiClient.VOLUMES;
import static dev.holdfast.apiserver.internal.ApiClient.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.apiserver.internal.ApiClient;
import dev.holdfast.apiserver.internal.ApiClient.Answer;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResourceWritesTest {
  private static final String SPEC = "\"size\":\"1Gi\"";

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final ApiClient client = new ApiClient(store);

  private Answer create(String name) throws Exception {
    return client.send("POST", VOLUMES, Map.of(), volume("\"name\":\"" + name + "\"", SPEC));
  }

  private Volume stored(String name) {
    return store.get(Volume.KIND, name).orElseThrow();
  }

  @Test
  void statusOfACreatedResourceIsDropped() throws Exception {
    String body =
        volume("\"name\":\"a\"", SPEC).replaceAll("}$", ",\"status\":{\"state\":\"attached\"}}");
    assertThat(client.send("POST", VOLUMES, Map.of(), body).code()).isEqualTo(201);
    assertThat(stored("a").status().state()).isEqualTo(VolumeState.CREATING);
  }

  @Test
  void unknownFieldsWarnFailOrPass() throws Exception {
    String body = volume("\"name\":\"a\"", SPEC + ",\"sise\":1");
    Answer strict = client.send("POST", VOLUMES + "?fieldValidation=Strict", Map.of(), body);
    assertThat(strict.code()).isEqualTo(400);
    assertThat(strict.message()).contains("unknown field \"spec.sise\"");
    Answer warn = client.send("POST", VOLUMES + "?dryRun=All", Map.of(), body);
    assertThat(warn.warnings()).containsExactly("unknown field \"spec.sise\"");
    Answer ignore = client.send("POST", VOLUMES + "?fieldValidation=Ignore", Map.of(), body);
    assertThat(ignore.code()).isEqualTo(201);
    assertThat(ignore.warnings()).isEmpty();
  }

  @Test
  void errorsCarryFieldsAndReasons() throws Exception {
    Answer answer =
        client.send("POST", VOLUMES, Map.of(), volume("\"name\":\"a\"", "\"size\":\"17\""));
    assertThat(answer.code()).isEqualTo(422);
    assertThat(answer.reason()).isEqualTo("Invalid");
    assertThat(answer.body().path("details").path("name").asText()).isEqualTo("a");
    assertThat(answer.body().path("details").path("kind").asText()).isEqualTo("Volume");
    assertThat(answer.body().at("/details/causes/0/field").asText()).isEqualTo("spec.size");
    assertThat(answer.body().at("/details/causes/0/reason").asText())
        .isEqualTo("FieldValueInvalid");
  }

  @Test
  void secondOfANameIsRefused() throws Exception {
    create("a");
    Answer second = create("a");
    assertThat(second.code()).isEqualTo(409);
    assertThat(second.reason()).isEqualTo("AlreadyExists");
    assertThat(
            client
                .send("POST", VOLUMES + "?dryRun=All", Map.of(), volume("\"name\":\"a\"", SPEC))
                .reason())
        .isEqualTo("AlreadyExists");
  }

  @Test
  void bodiesOfOtherKindsAreRefused() throws Exception {
    String node = volume("\"name\":\"a\"", SPEC).replace("\"Volume\"", "\"Node\"");
    assertThat(client.send("POST", VOLUMES, Map.of(), node).code()).isEqualTo(400);
    assertThat(client.send("POST", VOLUMES, Map.of(), "{").code()).isEqualTo(400);
    assertThat(client.send("POST", VOLUMES, Map.of(), "[]").code()).isEqualTo(400);
    assertThat(
            client.send("POST", VOLUMES, Map.of("Content-Type", "application/cbor"), "a: b").code())
        .isEqualTo(415);
  }

  @Test
  void bodiesMayBeYaml() throws Exception {
    Map<String, String> yaml = Map.of("Content-Type", "application/yaml; charset=utf-8");
    String body =
        """
        apiVersion: holdfast.dev/v1
        kind: Volume
        metadata:
          name: a
          labels: {day: 2026-11-21}
        spec:
          size: 1Gi
          numberOfReplicas: 2
        """;
    Answer created = client.send("POST", VOLUMES, yaml, body);
    assertThat(created.code()).isEqualTo(201);
    assertThat(stored("a").spec().numberOfReplicas()).isEqualTo(2);
    assertThat(stored("a").metadata().labels()).containsEntry("day", "2026-11-21");
    String changed =
        body.replace("Replicas: 2", "Replicas: 3")
            .replace("name: a", "{name: a, resourceVersion: \"" + version("a") + "\"}")
            .replace("metadata:\n  {", "metadata: {")
            .replace("  labels: {day: 2026-11-21}\n", "");
    assertThat(client.send("PUT", VOLUMES + "/a", yaml, changed).code()).isEqualTo(200);
    assertThat(stored("a").spec().numberOfReplicas()).isEqualTo(3);
    assertThat(client.send("DELETE", VOLUMES + "/a", yaml, "preconditions: {uid: x}").code())
        .isEqualTo(409);
    Answer broken = client.send("POST", VOLUMES, yaml, "metadata: {name: a");
    assertThat(broken.code()).isEqualTo(400);
    assertThat(broken.message()).contains("not valid YAML", "line 1");
  }

  private String version(String name) {
    return stored(name).metadata().resourceVersion();
  }

  @Test
  void oldVersionsAreRefused() throws Exception {
    String version = create("a").body().at("/metadata/resourceVersion").asText();
    client.merge("a", "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}");
    String metadata = "\"name\":\"a\",\"resourceVersion\":\"" + version + "\"";
    Answer answer = client.send("PUT", VOLUMES + "/a", Map.of(), volume(metadata, SPEC));
    assertThat(answer.code()).isEqualTo(409);
    assertThat(answer.reason()).isEqualTo("Conflict");
    Answer patch = client.merge("a", "{\"metadata\":{\"resourceVersion\":\"" + version + "\"}}");
    assertThat(patch.code()).isEqualTo(409);
  }

  @Test
  void nameInTheBodyMustBeThatOfTheUrl() throws Exception {
    create("a");
    assertThat(client.merge("a", "{\"metadata\":{\"name\":\"b\"}}").code()).isEqualTo(400);
  }

  @Test
  void specAndStatusAreWrittenApart() throws Exception {
    create("a");
    client.merge("a", "{\"status\":{\"state\":\"attached\"},\"spec\":{\"numberOfReplicas\":2}}");
    assertThat(stored("a").status().state()).isEqualTo(VolumeState.CREATING);
    assertThat(stored("a").spec().numberOfReplicas()).isEqualTo(2);
    Answer status =
        client.send(
            "PATCH",
            VOLUMES + "/a/status",
            Map.of("Content-Type", "application/merge-patch+json"),
            "{\"status\":{\"state\":\"attached\"},\"spec\":{\"numberOfReplicas\":3}}");
    assertThat(status.code()).isEqualTo(200);
    assertThat(stored("a").status().state()).isEqualTo(VolumeState.ATTACHED);
    assertThat(stored("a").spec().numberOfReplicas()).isEqualTo(2);
  }

  @Test
  void dryRunsCheckAndKeepNothing() throws Exception {
    create("a");
    String before = stored("a").metadata().resourceVersion();
    String dry = VOLUMES + "/a?dryRun=All";
    Map<String, String> merge = Map.of("Content-Type", "application/merge-patch+json");
    Answer grown = client.send("PATCH", dry, merge, "{\"spec\":{\"size\":\"2Gi\"}}");
    assertThat(grown.body().at("/spec/size").asText()).isEqualTo("2Gi");
    Answer shrunk = client.send("PATCH", dry, merge, "{\"spec\":{\"size\":\"1Mi\"}}");
    assertThat(shrunk.code()).isEqualTo(422);
    assertThat(client.send("DELETE", dry, Map.of(), "").code()).isEqualTo(200);
    assertThat(stored("a").metadata().resourceVersion()).isEqualTo(before);
    assertThat(client.send("DELETE", VOLUMES + "/a?dryRun=Some", Map.of(), "").code())
        .isEqualTo(400);
  }

  @Test
  void deletionKeepsItsPreconditions() throws Exception {
    create("a");
    String wrong = "{\"preconditions\":{\"uid\":\"other\"}}";
    assertThat(client.send("DELETE", VOLUMES + "/a", Map.of(), wrong).code()).isEqualTo(409);
    String right = "{\"preconditions\":{\"uid\":\"" + stored("a").metadata().uid() + "\"}}";
    Answer answer = client.send("DELETE", VOLUMES + "/a", Map.of(), right);
    assertThat(answer.body().path("status").asText()).isEqualTo("Success");
    assertThat(client.send("DELETE", VOLUMES + "/a", Map.of(), "").code()).isEqualTo(404);
  }

  /** As the attachment controller leaves it: on a node, for a ticket. */
  private void attach(String name, String ticket, String type) throws Exception {
    store.create(
        VolumeAttachment.of(
            name,
            new VolumeAttachmentSpec(
                name, Map.of(ticket, AttachmentTicket.of(ticket, type, "node-1", Map.of(), 1)))));
    Volume volume = stored(name);
    store.updateStatus(
        volume.withStatus(
            volume.status().withState(VolumeState.ATTACHED).withCurrentNodeID("node-1")));
  }

  @Test
  void aSizeThatIsNotAMultipleIsShownAsTypedWithTheNextOne() throws Exception {
    Answer answer =
        client.send("POST", VOLUMES, Map.of(), volume("\"name\":\"a\"", "\"size\":\"500M\""));
    assertThat(answer.message())
        .contains("Invalid value: \"500M\": must be a multiple of 4Ki", "next one is 488284Ki");
  }

  @Test
  void anEngineThatNoNodeHasIsRefused() throws Exception {
    Node node = store.create(Node.of("node-1", NodeSpec.EMPTY));
    store.updateStatus(
        node.withStatus(
            node.status().withEngines(List.of("sparse")).withFrontends(List.of("nbd"))));
    String spec = SPEC + ",\"dataEngine\":\"nope\"";
    Answer answer = client.send("POST", VOLUMES, Map.of(), volume("\"name\":\"a\"", spec));
    assertThat(answer.code()).isEqualTo(422);
    assertThat(answer.body().at("/details/causes/0/field").asText()).isEqualTo("spec.dataEngine");
    assertThat(answer.message()).contains("no node has this engine; installed: sparse");
    assertThat(create("a").code()).isEqualTo(201);
    assertThat(client.merge("a", "{\"spec\":{\"frontend\":\"nope\"}}").message())
        .contains("no node has this frontend; installed: nbd");
  }

  @Test
  void protocolThatTheEngineExportsNeedsNoFrontend() throws Exception {
    Node node = store.create(Node.of("node-1", NodeSpec.EMPTY));
    store.updateStatus(
        node.withStatus(
            node.status()
                .withEngines(List.of("other", "sparse"))
                .withFrontends(List.of("nbd"))
                .withNativeProtocols(
                    Map.of("sparse", List.of("device"), "other", List.of("nvme")))));
    create("a");
    assertThat(client.merge("a", "{\"spec\":{\"frontend\":\"nvme\"}}").message())
        .contains("no node has this frontend; installed: device, nbd");
    assertThat(client.merge("a", "{\"spec\":{\"frontend\":\"device\"}}").code()).isEqualTo(200);
  }

  @Test
  void deleteOfAnAttachedVolumeIsRejectedWithItsTicketsAndTheRemedy() throws Exception {
    create("a");
    attach("a", "api-node-1", "api");
    for (String query : List.of("", "?dryRun=All")) {
      Answer answer = client.send("DELETE", VOLUMES + "/a" + query, Map.of(), "");
      assertThat(answer.code()).isEqualTo(409);
      assertThat(answer.message())
          .isEqualTo(
              "volume a is attached to node-1 by ticket api-node-1 (api): detach it with 'holdfast"
                  + " volume detach a', or have it deleted once it is detached with 'holdfast"
                  + " volume delete a --when-detached'");
    }
    assertThat(stored("a").isBeingDeleted()).isFalse();
  }

  @Test
  void deleteOfACollectionWithAnAttachedVolumeDeletesNone() throws Exception {
    create("a");
    create("b");
    attach("b", "csi-1", "csi-attacher");
    Answer answer = client.send("DELETE", VOLUMES, Map.of(), "");
    assertThat(answer.code()).isEqualTo(409);
    assertThat(answer.message())
        .contains("volume b is attached to node-1 by ticket csi-1 (csi-attacher)", "volume why b");
    assertThat(store.get(Volume.KIND, "a")).isPresent();
    assertThat(stored("b").isBeingDeleted()).isFalse();
  }

  @Test
  void deleteOfAVolumeThatOnlyMaintenanceHoldsIsAccepted() throws Exception {
    create("a");
    attach("a", "snapshot-controller-s", "snapshot-controller");
    assertThat(client.send("DELETE", VOLUMES + "/a", Map.of(), "").code()).isEqualTo(200);
  }

  @Test
  void collectionsAreDeletedBySelector() throws Exception {
    create("a");
    create("b");
    client.merge("b", "{\"metadata\":{\"labels\":{\"keep\":\"yes\"}}}");
    Answer answer = client.send("DELETE", VOLUMES + "?labelSelector=!keep", Map.of(), "");
    assertThat(answer.body().path("items")).hasSize(1);
    assertThat(store.get(Volume.KIND, "a")).isEmpty();
    assertThat(store.get(Volume.KIND, "b")).isPresent();
  }

  @Test
  void namesAreMadeOfTheirPrefix() throws Exception {
    Answer answer =
        client.send("POST", VOLUMES, Map.of(), volume("\"generateName\":\"data-\"", SPEC));
    assertThat(answer.body().at("/metadata/name").asText()).matches("data-[a-z0-9]{5}");
  }
}
