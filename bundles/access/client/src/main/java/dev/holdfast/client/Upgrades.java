package dev.holdfast.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Replaces bundles on nodes in sequence. After the first node that fails, the earlier nodes roll
 * back. The request is an annotation of the node's resource; the node replies in another
 * annotation.
 */
public final class Upgrades {
  private static final long LOOK_MILLIS = 200;

  private final ResourceStore store;
  private final ObjectMapper json = new ObjectMapper();

  /** Manages the nodes of a store. */
  public Upgrades(ResourceStore store) {
    this.store = store;
  }

  /**
   * Runs an order; returns the result of each node, in the order of the nodes.
   *
   * @throws StorageException NOT_FOUND for a node; TIMEOUT when a node does not answer in time (it
   *     continues by itself), or when volumes still lack replicas after a node's restart; later
   *     nodes are then unchanged. INTERNAL when the answer has an unknown form
   */
  public List<NodeUpgrade> run(UpgradeOrder order, Waiting waiting) throws StorageException {
    List<String> nodes = order.nodes().isEmpty() ? allNodes() : order.nodes();
    Redundancy redundancy = Redundancy.now(store);
    List<NodeUpgrade> results = new ArrayList<>();
    for (String node : nodes) {
      if (order.restart() && !results.isEmpty()) {
        redundancy.await(node, waiting);
      }
      NodeUpgrade result = ask(node, order, waiting);
      results.add(result);
      if (!result.isGood() && order.action() != UpgradeOrder.Action.ROLLBACK) {
        rollBack(order, results.subList(0, results.size() - 1), results, redundancy, waiting);
        return List.copyOf(results);
      }
    }
    return List.copyOf(results);
  }

  private void rollBack(
      UpgradeOrder order,
      List<NodeUpgrade> done,
      List<NodeUpgrade> results,
      Redundancy redundancy,
      Waiting waiting)
      throws StorageException {
    if (order.action() == UpgradeOrder.Action.PLAN) {
      return;
    }
    List<NodeUpgrade> backwards = new ArrayList<>(done);
    Collections.reverse(backwards);
    UpgradeOrder back =
        new UpgradeOrder(UpgradeOrder.Action.ROLLBACK, "", order.restart(), List.of());
    for (NodeUpgrade earlier : backwards) {
      if (order.restart()) {
        redundancy.await(earlier.node(), waiting);
      }
      waiting.progress().accept("node " + earlier.node() + ": rolls back its changes");
      results.add(ask(earlier.node(), back, waiting));
    }
  }

  /** Returns the last upgrades of all nodes, oldest first for each. */
  public List<NodeUpgrade> last() throws StorageException {
    List<NodeUpgrade> all = new ArrayList<>();
    for (Node node : store.list(Node.KIND, LabelSelector.ALL).items()) {
      all.addAll(reports(node));
    }
    return List.copyOf(all);
  }

  private List<String> allNodes() throws StorageException {
    return store.list(Node.KIND, LabelSelector.ALL).items().stream().map(Node::name).toList();
  }

  private NodeUpgrade ask(String node, UpgradeOrder order, Waiting waiting)
      throws StorageException {
    String id = UUID.randomUUID().toString();
    String request = request(id, order);
    new StoreEditor(store)
        .edit(
            Node.KIND,
            node,
            current -> {
              ObjectMeta metadata = current.metadata();
              Map<String, String> annotations = new TreeMap<>(metadata.annotations());
              annotations.put(Node.UPGRADE_REQUEST_ANNOTATION, request);
              return current.withMetadata(metadata.withAnnotations(annotations));
            });
    return await(node, id, waiting);
  }

  private String request(String id, UpgradeOrder order) {
    return json.createObjectNode()
        .put("id", id)
        .put("action", order.action().name())
        .put("source", order.source())
        .put("restart", order.restart())
        .toString();
  }

  /** Polls the result, because the replaced bundle may be one through which watches pass. */
  private NodeUpgrade await(String node, String id, Waiting waiting) throws StorageException {
    long end = System.nanoTime() + waiting.timeout().toNanos();
    String told = "";
    while (true) {
      Optional<NodeUpgrade> now = find(node, id);
      if (now.isPresent() && now.get().hasEnded()) {
        return now.get();
      }
      String state = now.map(Upgrades::progress).orElse("no status yet");
      if (!state.equals(told)) {
        waiting.progress().accept("node " + node + ": " + state);
        told = state;
      }
      if (System.nanoTime() - end >= 0) {
        throw new StorageException(
            ErrorCode.TIMEOUT,
            "node " + node + ": not done in time, still running: see 'holdfast upgrade --status'");
      }
      pause(node);
    }
  }

  private static String progress(NodeUpgrade upgrade) {
    for (JsonNode step : upgrade.operation().path("steps")) {
      if (step.path("state").asText().equals("RUNNING")) {
        return step.path("bundle").asText() + " is being replaced";
      }
    }
    return upgrade.state();
  }

  private Optional<NodeUpgrade> find(String node, String id) throws StorageException {
    try {
      Node found =
          store.get(Node.KIND, node).orElseThrow(() -> StoreEditor.missing(Node.KIND, node));
      return reports(found).stream()
          .filter(one -> one.operation().path("id").asText().equals(id))
          .findFirst();
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.INTERNAL) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private List<NodeUpgrade> reports(Node node) throws StorageException {
    String text = node.metadata().annotations().get(Node.UPGRADE_REPORT_ANNOTATION);
    if (text == null) {
      return List.of();
    }
    try {
      List<NodeUpgrade> all = new ArrayList<>();
      json.readTree(text).forEach(operation -> all.add(new NodeUpgrade(node.name(), operation)));
      return all;
    } catch (JsonProcessingException e) {
      throw new StorageException(
          ErrorCode.INTERNAL, "node " + node.name() + ": its report cannot be read", e);
    }
  }

  private static void pause(String node) throws StorageException {
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(
          ErrorCode.TIMEOUT, "node " + node + ": interrupted while waiting", e);
    }
  }
}
