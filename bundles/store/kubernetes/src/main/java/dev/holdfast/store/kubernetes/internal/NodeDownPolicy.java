package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.resource.cluster.PlatformSettings;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** Pods that are removed from a node that is down, with the names that Longhorn has for it. */
enum NodeDownPolicy {
  DO_NOTHING("do-nothing", false, false),
  DELETE_STATEFULSET_POD("delete-statefulset-pod", true, false),
  DELETE_DEPLOYMENT_POD("delete-deployment-pod", false, true),
  DELETE_BOTH("delete-both-statefulset-and-deployment-pod", true, true);

  /** The setting that chooses one. */
  static final String SETTING = PlatformSettings.NODE_DOWN_PODS.name();

  private final String text;
  private final boolean statefulSets;
  private final boolean deployments;

  NodeDownPolicy(String text, boolean statefulSets, boolean deployments) {
    this.text = text;
    this.statefulSets = statefulSets;
    this.deployments = deployments;
  }

  /** Returns the policy of that name, empty when there is none. */
  static Optional<NodeDownPolicy> of(String text) {
    return Arrays.stream(values()).filter(policy -> policy.text.equals(text.strip())).findFirst();
  }

  /** The names that can be chosen, in words. */
  static String names() {
    return Arrays.stream(values()).map(policy -> policy.text).collect(Collectors.joining(", "));
  }

  /**
   * Whether pods of such an owner are removed, a kind of Kubernetes; Deployments have ReplicaSets.
   */
  boolean covers(String ownerKind) {
    return (statefulSets && ownerKind.equals("StatefulSet"))
        || (deployments && ownerKind.equals("ReplicaSet"));
  }
}
