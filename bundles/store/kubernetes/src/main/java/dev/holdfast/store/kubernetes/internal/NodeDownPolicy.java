package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.resource.cluster.PlatformSettings;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which pods are removed from a node that is down, with Longhorn's names of the policies. */
enum NodeDownPolicy {
  DO_NOTHING("do-nothing", false, false),
  DELETE_STATEFULSET_POD("delete-statefulset-pod", true, false),
  DELETE_DEPLOYMENT_POD("delete-deployment-pod", false, true),
  DELETE_BOTH("delete-both-statefulset-and-deployment-pod", true, true);

  /** Name of the setting that selects a policy. */
  static final String SETTING = PlatformSettings.NODE_DOWN_PODS.name();

  private final String text;
  private final boolean statefulSets;
  private final boolean deployments;

  NodeDownPolicy(String text, boolean statefulSets, boolean deployments) {
    this.text = text;
    this.statefulSets = statefulSets;
    this.deployments = deployments;
  }

  /** Returns the policy of a name, empty when it is unknown. */
  static Optional<NodeDownPolicy> of(String text) {
    return Arrays.stream(values()).filter(policy -> policy.text.equals(text.strip())).findFirst();
  }

  /** Returns the names of all policies as text. */
  static String names() {
    return Arrays.stream(values()).map(policy -> policy.text).collect(Collectors.joining(", "));
  }

  /**
   * Returns whether pods whose owner has this Kubernetes kind are removed; Deployments own
   * ReplicaSets.
   */
  boolean covers(String ownerKind) {
    return (statefulSets && ownerKind.equals("StatefulSet"))
        || (deployments && ownerKind.equals("ReplicaSet"));
  }
}
