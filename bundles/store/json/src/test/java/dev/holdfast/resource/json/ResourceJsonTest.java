package dev.holdfast.resource.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResourceJsonTest {
  private static final Instant T = Instant.parse("2026-11-21T08:09:10.123456789Z");

  private final ResourceJson json = new ResourceJson();

  private static Volume volume() {
    return Volume.of("data", VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")));
  }

  @Test
  void aNewVolumeShowsItsDefaultsAndNoEmptyMetadata() throws Exception {
    JsonNode tree = json.parse(json.encode(volume()));

    assertThat(tree.at("/apiVersion").textValue()).isEqualTo("holdfast.dev/v1");
    assertThat(tree.get("kind").textValue()).isEqualTo("Volume");
    assertThat(tree.get("metadata")).isEqualTo(json.parse("{\"name\": \"data\"}"));
    assertShows(
        tree.get("spec"),
        """
        {"size": "1Gi", "numberOfReplicas": 3, "dataEngine": "sparse", "frontend": "nbd",
         "accessMode": "rwo", "dataLocality": "disabled", "nodeID": "", "disableFrontend": false,
         "lastAttachedBy": "", "nodeSelector": [], "diskSelector": []}
        """);
    assertShows(
        tree.get("status"),
        """
        {"state": "creating", "robustness": "unknown", "currentNodeID": "", "endpoint": "",
         "actualSize": "0", "replicas": [], "conditions": [], "observedGeneration": 0}
        """);
  }

  private void assertShows(JsonNode shown, String expected) throws Exception {
    json.parse(expected)
        .properties()
        .forEach(
            field ->
                assertThat(shown.get(field.getKey()))
                    .as(field.getKey())
                    .isEqualTo(field.getValue()));
  }

  @Test
  void metadataAreThoseOfKubernetes() {
    ObjectMeta metadata =
        ObjectMeta.named("data")
            .withUid("u-1")
            .withResourceVersion("7")
            .withGeneration(2)
            .withCreationTimestamp(Optional.of(T))
            .withLabels(Map.of("app", "x"))
            .withFinalizers(List.of("holdfast.dev/volume"));

    assertThat(json.metadataTree(metadata).toString())
        .isEqualTo(
            "{\"name\":\"data\",\"uid\":\"u-1\",\"resourceVersion\":\"7\",\"generation\":2,"
                + "\"creationTimestamp\":\"2026-11-21T08:09:10Z\",\"labels\":{\"app\":\"x\"},"
                + "\"finalizers\":[\"holdfast.dev/volume\"]}");
  }

  @Test
  void timesInLeasesKeepMicroseconds() throws Exception {
    Lease lease =
        Lease.of("election", new LeaseSpec("node-1", 15, Optional.of(T), Optional.of(T), 1));

    ObjectNode tree = json.tree(lease);

    assertThat(tree.at("/spec/renewTime").textValue()).isEqualTo("2026-11-21T08:09:10.123456Z");
    assertThat(json.canonical(lease).spec().renewTime())
        .contains(Instant.parse("2026-11-21T08:09:10.123456Z"));
  }

  @Test
  void canonicalCutsTimesToTheSecond() throws Exception {
    Condition condition = new Condition("Ready", Condition.Status.TRUE, "Up", "", T);
    Volume volume = volume().withStatus(VolumeStatus.EMPTY.withConditions(List.of(condition)));

    Volume canonical = json.canonical(volume);

    assertThat(canonical.status().conditions().get(0).lastTransitionTime())
        .isEqualTo(Instant.parse("2026-11-21T08:09:10Z"));
  }

  @Test
  void quantitiesMayBeNumbers() throws Exception {
    assertThat(decodeSize("1073741824")).isEqualTo(Quantity.parse("1Gi"));
    assertThat(decodeSize("\"1.5Gi\"")).isEqualTo(Quantity.parse("1536Mi"));
    assertThat(decodeSize("1.5")).isEqualTo(new Quantity(2));
  }

  private Quantity decodeSize(String size) throws Exception {
    String text =
        """
        {"apiVersion": "holdfast.dev/v1", "kind": "Volume", "metadata": {"name": "data"},
         "spec": {"size": %s}}
        """
            .formatted(size);
    return json.decode(Volume.KIND, text, ResourceJson.Mode.STRICT).spec().size();
  }

  @Test
  void nullIsTakenAsAbsent() throws Exception {
    String text =
        """
        {"apiVersion": "holdfast.dev/v1", "kind": "Volume",
         "metadata": {"name": "data", "labels": null, "creationTimestamp": null},
         "spec": {"size": "1Gi", "numberOfReplicas": null, "disableFrontend": null},
         "status": null}
        """;

    assertThat(json.decode(Volume.KIND, text, ResourceJson.Mode.STRICT)).isEqualTo(volume());
  }

  @Test
  void fieldsThatOnlyKubernetesKeepsAreIgnored() throws Exception {
    String text =
        """
        {"apiVersion": "holdfast.dev/v1", "kind": "Volume",
         "metadata": {"name": "data", "namespace": "default", "generateName": "d-",
           "selfLink": "/x"},
         "spec": {"size": "1Gi"}}
        """;

    assertThat(json.decode(Volume.KIND, text, ResourceJson.Mode.STRICT)).isEqualTo(volume());
  }

  @Test
  void managedFieldsComeBackAsTheyWereSent() throws Exception {
    String text =
        """
        {"apiVersion": "holdfast.dev/v1", "kind": "Volume",
         "metadata": {"name": "data", "managedFields": [
           {"manager": "kubectl", "operation": "Apply", "apiVersion": "holdfast.dev/v1",
            "time": "2026-11-21T08:09:10Z", "fieldsType": "FieldsV1", "subresource": "status",
            "fieldsV1": {"f:spec": {"f:size": {}}}}]},
         "spec": {"size": "1Gi"}}
        """;
    Volume read = json.decode(Volume.KIND, text, ResourceJson.Mode.STRICT);
    assertThat(json.tree(read).at("/metadata/managedFields/0/fieldsV1/f:spec").has("f:size"))
        .isTrue();
    assertThat(json.canonical(read)).isEqualTo(read);
    assertThat(json.decode(Volume.KIND, json.encode(read), ResourceJson.Mode.STRICT))
        .isEqualTo(read);
  }

  @Test
  void aTimeWithAnOffsetIsTheSameInstant() throws Exception {
    String text =
        """
        {"metadata": {"name": "data", "creationTimestamp": "2026-11-21T10:09:10.5+02:00"}}
        """;

    assertThat(
            json.decode(Volume.KIND, text, ResourceJson.Mode.LENIENT)
                .metadata()
                .creationTimestamp())
        .contains(Instant.parse("2026-11-21T08:09:10Z"));
  }

  @Test
  void aListHasItsKindItsVersionAndItsItems() throws Exception {
    ObjectNode list = json.listTree(Volume.KIND, List.of(volume()), "42");

    assertThat(list.path("kind").textValue()).isEqualTo("VolumeList");
    assertThat(list.at("/metadata/resourceVersion").textValue()).isEqualTo("42");
    assertThat(json.decodeItems(Volume.KIND, list, ResourceJson.Mode.STRICT))
        .containsExactly(volume());
  }
}
