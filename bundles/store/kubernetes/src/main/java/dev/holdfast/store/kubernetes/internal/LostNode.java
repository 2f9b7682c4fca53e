package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Objects of a node that is down, and those of them that have to go so that its pods can run
 * elsewhere.
 *
 * @param pods that Kubernetes has on the node
 * @param volumes names of our volumes, by the claim that has them: {@code namespace/name}
 * @param attachments of Kubernetes, of our volumes to the node
 */
record LostNode(List<JsonNode> pods, Map<String, String> volumes, List<JsonNode> attachments) {
  /**
   * Something to delete, if it is still the one with that uid.
   *
   * @param pod whether it is a pod, else an attachment
   * @param namespace of a pod, else empty
   */
  record Removal(boolean pod, String namespace, String name, String uid) {
    @Override
    public String toString() {
      return pod ? "pod " + namespace + "/" + name : "volumeattachment " + name;
    }
  }

  LostNode {
    pods = List.copyOf(pods);
    volumes = Map.copyOf(volumes);
    attachments = List.copyOf(attachments);
  }

  /**
   * Says what to delete now. A pod goes only after its volumes are detached: its name is free then,
   * and who takes its place must not find them attached to this node. Attachments that no pod needs
   * go too: a pod that was removed by force left them.
   */
  List<Removal> removals(NodeDownPolicy policy, Instant now) {
    List<Removal> removals = new ArrayList<>();
    Set<String> needed =
        pods.stream()
            .filter(pod -> !isOver(pod) && !isStranded(pod, policy, now))
            .flatMap(pod -> volumesOf(pod).stream())
            .collect(Collectors.toSet());
    for (JsonNode attachment : attachments) {
      if (!needed.contains(volumeOf(attachment)) && !isBeingDeleted(attachment)) {
        removals.add(new Removal(false, "", name(attachment), uid(attachment)));
      }
    }
    Set<String> attached = attachments.stream().map(LostNode::volumeOf).collect(Collectors.toSet());
    for (JsonNode pod : pods) {
      if (isStranded(pod, policy, now) && volumesOf(pod).stream().noneMatch(attached::contains)) {
        removals.add(new Removal(true, namespace(pod), name(pod), uid(pod)));
      }
    }
    return removals;
  }

  /** Kubernetes wants it gone, its time is over, and only its node could say that it is. */
  private boolean isStranded(JsonNode pod, NodeDownPolicy policy, Instant now) {
    return isBeingDeleted(pod)
        && Instant.parse(pod.at("/metadata/deletionTimestamp").asText()).isBefore(now)
        && controller(pod).filter(policy::covers).isPresent()
        && !volumesOf(pod).isEmpty();
  }

  private static boolean isOver(JsonNode pod) {
    return Set.of("Succeeded", "Failed").contains(pod.at("/status/phase").asText());
  }

  private static Optional<String> controller(JsonNode pod) {
    return items(pod.at("/metadata/ownerReferences")).stream()
        .filter(owner -> owner.path("controller").asBoolean())
        .map(owner -> owner.path("kind").asText())
        .findFirst();
  }

  private Set<String> volumesOf(JsonNode pod) {
    return items(pod.at("/spec/volumes")).stream()
        .map(volume -> claim(pod, volume))
        .filter(volumes::containsKey)
        .map(volumes::get)
        .collect(Collectors.toSet());
  }

  /** The claim of an ephemeral volume is called after the pod and the volume. */
  private static String claim(JsonNode pod, JsonNode volume) {
    String named = volume.at("/persistentVolumeClaim/claimName").asText();
    boolean ephemeral = volume.has("ephemeral");
    return namespace(pod)
        + "/"
        + (ephemeral ? name(pod) + "-" + volume.path("name").asText() : named);
  }

  private static String volumeOf(JsonNode attachment) {
    return attachment.at("/spec/source/persistentVolumeName").asText();
  }

  private static boolean isBeingDeleted(JsonNode object) {
    return object.at("/metadata").hasNonNull("deletionTimestamp");
  }

  private static String namespace(JsonNode object) {
    return object.at("/metadata/namespace").asText();
  }

  private static String name(JsonNode object) {
    return object.at("/metadata/name").asText();
  }

  private static String uid(JsonNode object) {
    return object.at("/metadata/uid").asText();
  }

  private static List<JsonNode> items(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }
}
