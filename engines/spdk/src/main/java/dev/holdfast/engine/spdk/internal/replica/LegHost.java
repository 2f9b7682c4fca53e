package dev.holdfast.engine.spdk.internal.replica;

/**
 * A target as the host of a replica on another node.
 *
 * @param nqn by which it connects, not null
 * @param key proves it to the target that has the replica; empty for a node of an earlier version;
 *     not null
 * @param controllerKey proves that target to it, not null
 */
public record LegHost(String nqn, String key, String controllerKey) {
  /** Does not show the keys. */
  @Override
  public String toString() {
    return nqn;
  }
}
