package dev.holdfast.commands;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.OptionalLong;

/** Showing nodes. Thread-safe. */
public final class Nodes {
  private final ResourceStore store;

  /** Shows the nodes of a store. */
  public Nodes(ResourceStore store) {
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
   * Tells which nodes there are and which of them runs here.
   *
   * @param pid of the container of this data directory
   * @param apiPort the port of that container's API, by which its node is known among several
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
                        Condition.isTrue(node.status().conditions(), "Ready"),
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
