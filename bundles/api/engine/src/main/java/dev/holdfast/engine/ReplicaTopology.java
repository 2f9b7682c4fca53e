package dev.holdfast.engine;

/**
 * Number and places of the replicas of an engine's volumes.
 *
 * @since 2.1
 */
public enum ReplicaTopology {
  /** The scheduler places {@code numberOfReplicas} replicas, each on a disk of one node. */
  NODE_REPLICAS,
  /**
   * A volume has one complete replica for every value of {@code numberOfReplicas}, because the disk
   * provides redundancy. A replica on a {@link DiskInfo#shared() shared} disk or in a directory is
   * not bound to a node: each node that sees the disk can open it.
   */
  SHARED_DISK
}
