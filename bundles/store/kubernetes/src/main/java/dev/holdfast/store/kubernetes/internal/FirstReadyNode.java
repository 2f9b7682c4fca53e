package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;

/** Choice of the node that does what one node has to do. Stateless. */
final class FirstReadyNode {
  private FirstReadyNode() {}

  /** Returns whether a node is the first ready one, as the store has it. */
  static boolean is(ResourceStore store, String name) throws StorageException {
    return store.list(Node.KIND, LabelSelector.ALL).items().stream()
        .filter(FirstReadyNode::isReady)
        .findFirst()
        .filter(node -> node.name().equals(name))
        .isPresent();
  }

  /** Returns whether a node is ready, by its resource. */
  static boolean isReady(Node node) {
    return Condition.isTrue(node.status().conditions(), Condition.READY);
  }
}
