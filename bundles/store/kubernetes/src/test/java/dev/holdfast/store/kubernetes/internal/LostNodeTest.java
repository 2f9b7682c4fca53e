package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Objects that must be removed from a lost node, and their order. */
class LostNodeTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");
  private static final String PAST = "2026-01-01T00:00:59Z";
  private static final String FUTURE = "2026-01-01T00:01:01Z";
  private static final Map<String, String> VOLUMES =
      Map.of("default/data", "pv-1", "default/other", "pv-2", "default/p-scratch", "pv-3");

  private static JsonNode json(String text) {
    try {
      return MAPPER.readTree(text.replace('\'', '"'));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode pod(String owner, String deletion, String volumes) {
    return json(
        """
        {'metadata': {'name': 'p', 'namespace': 'default', 'uid': 'u', 'deletionTimestamp': %s,
          'ownerReferences': [{'kind': '%s', 'controller': true}]},
         'spec': {'volumes': [%s]}}
        """
            .formatted(deletion == null ? "null" : "'" + deletion + "'", owner, volumes));
  }

  private static String claim(String name) {
    return "{'name': 'v', 'persistentVolumeClaim': {'claimName': '" + name + "'}}";
  }

  private static JsonNode attachment(String volume, String deletion) {
    return json(
        """
        {'metadata': {'name': 'va-%1$s', 'uid': 'a', 'deletionTimestamp': %2$s},
         'spec': {'source': {'persistentVolumeName': '%1$s'}}}
        """
            .formatted(volume, deletion == null ? "null" : "'" + deletion + "'"));
  }

  private static List<String> removed(
      NodeDownPolicy policy, List<JsonNode> pods, JsonNode... attachments) {
    return new LostNode(pods, VOLUMES, List.of(attachments))
        .removals(policy, NOW).stream().map(LostNode.Removal::toString).toList();
  }

  private static List<String> removed(JsonNode pod, JsonNode... attachments) {
    return removed(NodeDownPolicy.DELETE_STATEFULSET_POD, List.of(pod), attachments);
  }

  @Test
  void podIsDeletedAfterItsVolumesAreDetached() {
    JsonNode pod = pod("StatefulSet", PAST, claim("data"));

    assertThat(removed(pod, attachment("pv-1", null))).containsExactly("volumeattachment va-pv-1");
    assertThat(removed(pod, attachment("pv-1", PAST))).isEmpty();
    assertThat(removed(pod)).containsExactly("pod default/p");
  }

  @Test
  void podThatKubernetesKeepsStays() {
    assertThat(removed(pod("StatefulSet", null, claim("data")), attachment("pv-1", null)))
        .isEmpty();
  }

  @Test
  void aPodHasTheTimeThatItWasGiven() {
    assertThat(removed(pod("StatefulSet", FUTURE, claim("data")), attachment("pv-1", null)))
        .isEmpty();
  }

  @Test
  void podsOfOtherOwnersStayWithTheirVolumes() {
    JsonNode pod = pod("ReplicaSet", PAST, claim("data"));

    assertThat(removed(pod, attachment("pv-1", null))).isEmpty();
    assertThat(removed(NodeDownPolicy.DELETE_DEPLOYMENT_POD, List.of(pod)))
        .containsExactly("pod default/p");
    assertThat(removed(NodeDownPolicy.DELETE_BOTH, List.of(pod))).containsExactly("pod default/p");
    assertThat(removed(pod("Job", PAST, claim("data")))).isEmpty();
  }

  @Test
  void podWithoutAHoldfastVolumeIsIgnored() {
    assertThat(removed(pod("StatefulSet", PAST, claim("foreign")))).isEmpty();
    assertThat(removed(pod("StatefulSet", PAST, "{'name': 'v', 'emptyDir': {}}"))).isEmpty();
  }

  @Test
  void anEphemeralVolumeIsOne() {
    JsonNode pod = pod("StatefulSet", PAST, "{'name': 'scratch', 'ephemeral': {}}");

    assertThat(removed(pod, attachment("pv-3", null))).containsExactly("volumeattachment va-pv-3");
  }

  @Test
  void aVolumeThatAnotherPodNeedsStaysAttached() {
    List<JsonNode> pods =
        List.of(pod("StatefulSet", PAST, claim("data")), pod("StatefulSet", FUTURE, claim("data")));

    assertThat(removed(NodeDownPolicy.DELETE_BOTH, pods, attachment("pv-1", null))).isEmpty();
  }

  @Test
  void attachmentOfAForceDeletedPodIsRemoved() {
    assertThat(removed(NodeDownPolicy.DELETE_BOTH, List.of(), attachment("pv-2", null)))
        .containsExactly("volumeattachment va-pv-2");
  }

  @Test
  void policiesHaveTheNamesOfLonghorn() {
    assertThat(NodeDownPolicy.of("delete-both-statefulset-and-deployment-pod"))
        .contains(NodeDownPolicy.DELETE_BOTH);
    assertThat(NodeDownPolicy.of("delete-everything")).isEmpty();
    assertThat(NodeDownPolicy.names())
        .contains("do-nothing", "delete-statefulset-pod", "delete-deployment-pod");
  }
}
