package dev.holdfast.client;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Returns nodes. Thread-safe. */
public final class NodeCommands {
  private final ResourceStore store;

  /** Reads the nodes of a store. */
  public NodeCommands(ResourceStore store) {
    this.store = store;
  }

  /** Returns all nodes by name. */
  public ResourceList<Node> list() throws StorageException {
    return store.list(Node.KIND, LabelSelector.ALL);
  }

  /**
   * Returns one node.
   *
   * @throws StorageException NOT_FOUND
   */
  public Node get(String name) throws StorageException {
    return new StoreEditor(store).require(Node.KIND, name);
  }

  /**
   * Waits until nodes are registered and ready.
   *
   * @param names of nodes, which need not be registered yet; at least one
   * @return the nodes, in the order of the names
   * @throws StorageException TIMEOUT with the name of a node that is not ready
   */
  public ResourceList<Node> awaitReady(List<String> names, Waiting waiting)
      throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      Map<String, ResourceWait.Follower<Node>> nodes = new LinkedHashMap<>();
      for (String name : names) {
        nodes.put(name, observation.follow(Node.KIND, name));
      }
      return observation.await(
          "nodes",
          waiting,
          () -> notReady(nodes).isEmpty() ? Optional.of(seen(nodes)) : Optional.empty(),
          () -> "not ready: " + String.join(", ", notReady(nodes)));
    }
  }

  private static List<String> notReady(Map<String, ResourceWait.Follower<Node>> nodes) {
    return nodes.entrySet().stream()
        .filter(node -> node.getValue().latest().filter(NodeCommands::isReady).isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  private static ResourceList<Node> seen(Map<String, ResourceWait.Follower<Node>> nodes) {
    return new ResourceList<>(
        nodes.values().stream().flatMap(node -> node.latest().stream()).toList(), "");
  }

  private static boolean isReady(Node node) {
    return Condition.isTrue(node.status().conditions(), Condition.READY);
  }

  /**
   * Returns the nodes, and identifies the node of this host.
   *
   * @param pid of the container of this data directory
   * @param apiPort the port of that container's API, which identifies its node among several
   */
  public StatusReport status(OptionalLong pid, int apiPort) throws StorageException {
    List<Node> nodes = list().items();
    return new StatusReport(
        pid,
        nodes.stream()
            .map(
                node ->
                    new StatusReport.NodeReport(
                        node.name(),
                        isReady(node),
                        isHere(node, nodes, apiPort) ? pid : OptionalLong.empty(),
                        node.status().address().isEmpty()
                            ? List.of()
                            : List.of(node.status().address()),
                        node.status().ports()))
            .toList());
  }

  private static boolean isHere(Node node, List<Node> all, int apiPort) {
    return all.size() == 1 || node.status().ports().getOrDefault("api", 0) == apiPort;
  }
}
