package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.ResourceStore;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Records in this node's resource whether Kubernetes' node of the same name is cordoned. A node
 * that Kubernetes does not know is not cordoned. Not thread-safe.
 */
final class KubernetesCordon {
  private static final String OBJECT = "application/json";

  private final KubernetesConnection connection;
  private final ResourceStore store;
  private final String self;

  /**
   * Creates a task that has not run.
   *
   * @param self name of this node
   */
  KubernetesCordon(KubernetesConnection connection, ResourceStore store, String self) {
    this.connection = connection;
    this.store = store;
    this.self = self;
  }

  /**
   * Runs one check, and records a change.
   *
   * @return always false: a change needs no further check
   * @throws StorageException FORBIDDEN; as {@link KubernetesConnection#send}
   */
  boolean run() throws StorageException {
    Optional<Node> node = self.isEmpty() ? Optional.empty() : store.get(Node.KIND, self);
    if (node.isPresent()) {
      Node noted = noted(node.get(), isCordoned());
      if (!noted.equals(node.get())) {
        var unused = store.update(noted);
      }
    }
    return false;
  }

  private boolean isCordoned() throws StorageException {
    KubernetesConnection.Answer answer =
        connection.send("GET", "/api/v1/nodes/" + self, OBJECT, Optional.empty());
    if (answer.status() == 404) {
      return false;
    }
    if (!answer.isSuccess()) {
      boolean refused = answer.status() == 401 || answer.status() == 403;
      throw new StorageException(
          refused ? ErrorCode.FORBIDDEN : ErrorCode.UNREACHABLE,
          "node "
              + self
              + ": "
              + answer.document().path("message").asText("HTTP " + answer.status())
              + (refused ? " (ClusterRole holdfast-node in deploy/manifests has the right)" : ""));
    }
    return answer.document().at("/spec/unschedulable").asBoolean();
  }

  private static Node noted(Node node, boolean cordoned) {
    Map<String, String> annotations = new TreeMap<>(node.metadata().annotations());
    if (cordoned) {
      annotations.put(Node.CORDONED_ANNOTATION, "true");
    } else {
      annotations.remove(Node.CORDONED_ANNOTATION);
    }
    return node.withMetadata(node.metadata().withAnnotations(annotations));
  }
}
