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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes pods from nodes that are down, as the setting {@code node-down-pod-deletion-policy} says.
 * Kubernetes waits for a node before it starts a StatefulSet's pod elsewhere, as it cannot know
 * whether the first one still writes. Here it cannot: a volume that is opened elsewhere has shut
 * the opening before it out. Not thread-safe.
 */
final class NodeDownPods {
  private static final Logger LOG = LoggerFactory.getLogger(NodeDownPods.class);
  private static final String DRIVER = WorkloadTickets.DRIVER;
  private static final String READY = Condition.READY;
  private static final String OBJECT = "application/json";

  private final KubernetesConnection connection;
  private final ResourceStore store;
  private final Clock clock;
  private final String self;

  /**
   * Prepares.
   *
   * @param self name of this node: one of all does the work
   */
  NodeDownPods(KubernetesConnection connection, ResourceStore store, Clock clock, String self) {
    this.connection = connection;
    this.store = store;
    this.clock = clock;
    this.self = self;
  }

  /**
   * Looks once, and removes what has to go now.
   *
   * @return whether something was removed, so that more may have to
   * @throws StorageException INVALID for a policy that there is not; FORBIDDEN; as {@link
   *     KubernetesConnection#send}
   */
  boolean run() throws StorageException {
    NodeDownPolicy policy = policy();
    if (policy == NodeDownPolicy.DO_NOTHING) {
      return false;
    }
    List<Node> nodes = store.list(Node.KIND, LabelSelector.ALL).items();
    Optional<Node> first = nodes.stream().filter(NodeDownPods::isReady).findFirst();
    if (first.filter(node -> node.name().equals(self)).isEmpty()) {
      return false;
    }
    boolean removed = false;
    for (Node node : nodes) {
      if (!isReady(node) && isLost(node.name())) {
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

  /** Returns whether a node is ready, as its resource says. */
  static boolean isReady(Node node) {
    return Condition.isTrue(node.status().conditions(), READY);
  }

  /** Both Holdfast and the kubelet are silent there; a kubelet that speaks ends its pods itself. */
  private boolean isLost(String node) throws StorageException {
    KubernetesConnection.Answer answer = get("/api/v1/nodes/" + node);
    if (answer.status() == 404) {
      return false;
    }
    for (JsonNode condition : require("nodes", answer).at("/status/conditions")) {
      if (condition.path("type").asText().equals(READY)) {
        return condition.path("status").asText().equals("Unknown");
      }
    }
    return false;
  }

  private boolean clear(String node, NodeDownPolicy policy) throws StorageException {
    String onNode = URLEncoder.encode("spec.nodeName=" + node, StandardCharsets.UTF_8);
    LostNode lost =
        new LostNode(
            list("pods", "/api/v1/pods?fieldSelector=" + onNode, pod -> true),
            volumes(),
            list(
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

  /** Our volumes by the claims that have them. */
  private Map<String, String> volumes() throws StorageException {
    Map<String, String> volumes = new HashMap<>();
    for (JsonNode volume :
        list(
            "persistentvolumes",
            "/api/v1/persistentvolumes",
            volume -> volume.at("/spec/csi/driver").asText().equals(DRIVER))) {
      JsonNode claim = volume.at("/spec/claimRef");
      volumes.put(
          claim.path("namespace").asText() + "/" + claim.path("name").asText(),
          volume.at("/metadata/name").asText());
    }
    return volumes;
  }

  private List<JsonNode> list(String what, String path, Predicate<JsonNode> wanted)
      throws StorageException {
    List<JsonNode> items = new ArrayList<>();
    for (JsonNode item : require(what, get(path)).path("items")) {
      if (wanted.test(item)) {
        items.add(item);
      }
    }
    return items;
  }

  private KubernetesConnection.Answer get(String path) throws StorageException {
    return connection.send("GET", path, OBJECT, Optional.empty());
  }

  private void remove(LostNode.Removal removal) throws StorageException {
    String path =
        removal.pod()
            ? "/api/v1/namespaces/" + removal.namespace() + "/pods/"
            : "/apis/storage.k8s.io/v1/volumeattachments/";
    String options =
        "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0,"
            + "\"preconditions\":{\"uid\":\""
            + removal.uid()
            + "\"}}";
    KubernetesConnection.Answer answer =
        connection.send("DELETE", path + removal.name(), OBJECT, Optional.of(options));
    if (answer.status() != 404 && answer.status() != 409) {
      var unused = require(removal.toString(), answer);
    }
  }

  private static JsonNode require(String what, KubernetesConnection.Answer answer)
      throws StorageException {
    if (answer.isSuccess()) {
      return answer.document();
    }
    String said = answer.document().path("message").asText("HTTP " + answer.status());
    boolean refused = answer.status() == 401 || answer.status() == 403;
    throw new StorageException(
        refused ? ErrorCode.FORBIDDEN : ErrorCode.UNREACHABLE,
        NodeDownPolicy.SETTING
            + ": "
            + what
            + ": "
            + said
            + (refused ? " (the rights are in deploy/examples/node-down.yaml)" : ""));
  }
}
