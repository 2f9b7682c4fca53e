package dev.holdfast.client;

import java.util.Objects;

/**
 * A node that was taken out of the cluster.
 *
 * @param name of the node
 * @param held what it still had, empty when nothing
 */
public record RemovedNode(String name, String held) {
  /** Rejects null components. */
  public RemovedNode {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(held, "held");
  }
}
