package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Objects of a node that is down, from which those to delete are determined, so that its pods can
 * run elsewhere.
 *
 * @param pods pods that Kubernetes has on the node
 * @param volumes names of our volumes by claim: {@code namespace/name}
 * @param attachments Kubernetes' attachments of our volumes to the node
 */
record LostNode(List<JsonNode> pods, Map<String, String> volumes, List<JsonNode> attachments) {
  /**
   * An object to delete if its uid matches.
   *
   * @param pod whether it is a pod; else an attachment
   * @param namespace namespace of a pod, else empty
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
   * Returns the objects to delete now. A pod is deleted only after its volumes are detached: its
   * deletion frees its name, and its successor must not find them attached to this node.
   * Attachments that no pod needs are deleted too, for example those of a pod that was deleted by
   * force.
   */
  List<Removal> removals(NodeDownPolicy policy, Instant now) {
    List<Removal> removals = new ArrayList<>();
    Set<String> needed =
        pods.stream()
            .filter(pod -> !PodFields.isOver(pod) && !isStranded(pod, policy, now))
            .flatMap(pod -> PodFields.volumes(pod, volumes).stream())
            .collect(Collectors.toSet());
    for (JsonNode attachment : attachments) {
      if (!needed.contains(volumeOf(attachment)) && !PodFields.isBeingDeleted(attachment)) {
        removals.add(new Removal(false, "", PodFields.name(attachment), PodFields.uid(attachment)));
      }
    }
    Set<String> attached = attachments.stream().map(LostNode::volumeOf).collect(Collectors.toSet());
    for (JsonNode pod : pods) {
      if (isStranded(pod, policy, now)
          && PodFields.volumes(pod, volumes).stream().noneMatch(attached::contains)) {
        removals.add(
            new Removal(true, PodFields.namespace(pod), PodFields.name(pod), PodFields.uid(pod)));
      }
    }
    return removals;
  }

  /**
   * Kubernetes is deleting the pod, its grace period has passed, and only its silent node could
   * confirm its end.
   */
  private boolean isStranded(JsonNode pod, NodeDownPolicy policy, Instant now) {
    return PodFields.isBeingDeleted(pod)
        && Instant.parse(pod.at("/metadata/deletionTimestamp").asText()).isBefore(now)
        && PodFields.controller(pod).filter(policy::covers).isPresent()
        && !PodFields.volumes(pod, volumes).isEmpty();
  }

  private static String volumeOf(JsonNode attachment) {
    return attachment.at("/spec/source/persistentVolumeName").asText();
  }
}
