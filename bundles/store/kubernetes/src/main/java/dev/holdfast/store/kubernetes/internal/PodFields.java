package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Fields of Kubernetes objects, mainly of pods. Stateless. */
final class PodFields {
  private PodFields() {}

  static String namespace(JsonNode object) {
    return object.at("/metadata/namespace").asText();
  }

  static String name(JsonNode object) {
    return object.at("/metadata/name").asText();
  }

  static String uid(JsonNode object) {
    return object.at("/metadata/uid").asText();
  }

  static boolean isBeingDeleted(JsonNode object) {
    return object.at("/metadata").hasNonNull("deletionTimestamp");
  }

  /** Returns whether all containers of a pod have ended permanently. */
  static boolean isOver(JsonNode pod) {
    return Set.of("Succeeded", "Failed").contains(pod.at("/status/phase").asText());
  }

  /** Returns the kind of the controller that recreates a deleted pod; empty for none. */
  static Optional<String> controller(JsonNode pod) {
    return items(pod.at("/metadata/ownerReferences")).stream()
        .filter(owner -> owner.path("controller").asBoolean())
        .map(owner -> owner.path("kind").asText())
        .findFirst();
  }

  /**
   * Returns the volumes that a pod uses.
   *
   * @param volumes names of volumes by claim: {@code namespace/name}
   */
  static Set<String> volumes(JsonNode pod, Map<String, String> volumes) {
    return items(pod.at("/spec/volumes")).stream()
        .map(volume -> claim(pod, volume))
        .filter(volumes::containsKey)
        .map(volumes::get)
        .collect(Collectors.toSet());
  }

  /** The claim of an ephemeral volume has a name of the pod and the volume. */
  private static String claim(JsonNode pod, JsonNode volume) {
    String named = volume.at("/persistentVolumeClaim/claimName").asText();
    boolean ephemeral = volume.has("ephemeral");
    return namespace(pod)
        + "/"
        + (ephemeral ? name(pod) + "-" + volume.path("name").asText() : named);
  }

  private static List<JsonNode> items(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }
}
