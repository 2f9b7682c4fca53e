package dev.holdfast.client;

import java.util.Objects;

/**
 * A node that was removed from the cluster.
 *
 * @param name of the node
 * @param held data that it still had, empty if none
 */
public record RemovedNode(String name, String held) {
  /** Rejects null components. */
  public RemovedNode {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(held, "held");
  }
}
