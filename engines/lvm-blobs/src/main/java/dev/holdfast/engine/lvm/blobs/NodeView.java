package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import java.util.Map;
import java.util.Set;

/**
 * State of a pool on one node, as the node sees it.
 *
 * @param self name of the node
 * @param active whether the pool has devices on this host, which then holds its lock
 * @param exports blobs that this process exports in the pool's generation
 * @param devices what this process knows of the devices of the node
 * @param lost nodes that do not answer and do not hold the lock of the pool
 */
record NodeView(
    String self,
    boolean active,
    Map<String, PoolAddress> exports,
    NodeDevices devices,
    Set<String> lost) {
  NodeView {
    exports = Map.copyOf(exports);
    lost = Set.copyOf(lost);
  }
}
