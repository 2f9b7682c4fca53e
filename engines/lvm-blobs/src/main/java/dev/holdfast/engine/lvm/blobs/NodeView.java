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
 * @param generation to which this process has connected the devices of the node, 0 when it has not:
 *     an earlier process may have
 * @param devices blobs that are devices of the node in that generation, with their sizes in bytes
 * @param lost nodes that do not answer and do not hold the lock of the pool
 */
record NodeView(
    String self,
    boolean active,
    Map<String, PoolAddress> exports,
    long generation,
    Map<String, Long> devices,
    Set<String> lost) {
  NodeView {
    exports = Map.copyOf(exports);
    devices = Map.copyOf(devices);
    lost = Set.copyOf(lost);
  }
}
