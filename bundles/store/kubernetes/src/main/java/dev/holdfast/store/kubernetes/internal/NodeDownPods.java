package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes pods from nodes that are down, by the setting {@code node-down-pod-deletion-policy}.
 * Kubernetes waits for a node before it starts a StatefulSet's pod elsewhere, because it cannot
 * know whether the first pod still writes. Here the first pod cannot write: opening a volume
 * elsewhere fences the earlier opening. Not thread-safe.
 */
final class NodeDownPods {
  private static final Logger LOG = LoggerFactory.getLogger(NodeDownPods.class);
  private static final String DRIVER = WorkloadTickets.DRIVER;

  private final ClusterObjects objects;
  private final ResourceStore store;
  private final Clock clock;
  private final String self;

  /**
   * Creates a task that has not run.
   *
   * @param self name of this node; only one node does the work
   */
  NodeDownPods(KubernetesConnection connection, ResourceStore store, Clock clock, String self) {
    this.objects = new ClusterObjects(connection, NodeDownPolicy.SETTING, "node-down.yaml");
    this.store = store;
    this.clock = clock;
    this.self = self;
  }

  /**
   * Runs one check, and removes the objects that are due.
   *
   * @return whether an object was removed, so that more may follow
   * @throws StorageException INVALID for an unknown policy; FORBIDDEN; as {@link
   *     KubernetesConnection#send}
   */
  boolean run() throws StorageException {
    NodeDownPolicy policy = policy();
    if (policy == NodeDownPolicy.DO_NOTHING) {
      return false;
    }
    if (!FirstReadyNode.is(store, self)) {
      return false;
    }
    boolean removed = false;
    for (Node node : store.list(Node.KIND, LabelSelector.ALL).items()) {
      if (!FirstReadyNode.isReady(node) && isLost(node.name())) {
        removed |= clear(node.name(), policy);
      }
    }
    return removed;
  }

  private NodeDownPolicy policy() throws StorageException {
    Optional<String> chosen =
        store
            .get(Setting.KIND, NodeDownPolicy.SETTING)
            .map(setting -> setting.spec().value().strip())
            .filter(value -> !value.isEmpty());
    if (chosen.isEmpty()) {
      return NodeDownPolicy.DO_NOTHING;
    }
    return NodeDownPolicy.of(chosen.get())
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.INVALID,
                    "setting "
                        + NodeDownPolicy.SETTING
                        + ": \""
                        + chosen.get()
                        + "\" is none of "
                        + NodeDownPolicy.names()));
  }

  /**
   * Neither Holdfast nor the kubelet of the node reports; a reporting kubelet ends its pods itself.
   */
  private boolean isLost(String node) throws StorageException {
    Optional<JsonNode> found = objects.find("nodes", "/api/v1/nodes/" + node);
    if (found.isEmpty()) {
      return false;
    }
    for (JsonNode condition : found.get().at("/status/conditions")) {
      if (condition.path("type").asText().equals(Condition.READY)) {
        return condition.path("status").asText().equals("Unknown");
      }
    }
    return false;
  }

  private boolean clear(String node, NodeDownPolicy policy) throws StorageException {
    String onNode = URLEncoder.encode("spec.nodeName=" + node, StandardCharsets.UTF_8);
    LostNode lost =
        new LostNode(
            objects.list("pods", "/api/v1/pods?fieldSelector=" + onNode, pod -> true),
            objects.byClaim("/metadata/name"),
            objects.list(
                "volumeattachments",
                "/apis/storage.k8s.io/v1/volumeattachments",
                attachment ->
                    attachment.at("/spec/attacher").asText().equals(DRIVER)
                        && attachment.at("/spec/nodeName").asText().equals(node)));
    Collection<LostNode.Removal> removals = lost.removals(policy, clock.instant());
    for (LostNode.Removal removal : removals) {
      remove(removal);
      LOG.warn("removed {} of node {}, which is down: {}", removal, node, policy);
    }
    return !removals.isEmpty();
  }

  private void remove(LostNode.Removal removal) throws StorageException {
    String path =
        removal.pod()
            ? "/api/v1/namespaces/" + removal.namespace() + "/pods/"
            : "/apis/storage.k8s.io/v1/volumeattachments/";
    objects.delete(removal.toString(), path + removal.name(), removal.uid(), OptionalInt.of(0));
  }
}
