package dev.holdfast.engine.spdk.internal.replica;

/** The other nodes. Thread-safe. */
public interface LegNodes {
  /**
   * Returns a node, which need not be reachable.
   *
   * @param name of the node, not null
   */
  LegNode node(String name);
}
