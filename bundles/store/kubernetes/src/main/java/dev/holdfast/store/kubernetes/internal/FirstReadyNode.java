package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;

/** Selects the node that performs a task for the cluster. Stateless. */
final class FirstReadyNode {
  private FirstReadyNode() {}

  /** Returns whether a node is the first ready one in the store. */
  static boolean is(ResourceStore store, String name) throws StorageException {
    return store.list(Node.KIND, LabelSelector.ALL).items().stream()
        .filter(FirstReadyNode::isReady)
        .findFirst()
        .filter(node -> node.name().equals(name))
        .isPresent();
  }

  /** Returns whether a node's resource reports it as ready. */
  static boolean isReady(Node node) {
    return Condition.isTrue(node.status().conditions(), Condition.READY);
  }
}
