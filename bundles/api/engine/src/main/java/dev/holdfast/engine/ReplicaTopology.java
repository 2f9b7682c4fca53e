package dev.holdfast.engine;

/**
 * How many replicas a volume of an engine has, and where they are.
 *
 * @since 2.1
 */
public enum ReplicaTopology {
  /** The scheduler places {@code numberOfReplicas} replicas, each on a disk of one node. */
  NODE_REPLICAS,
  /**
   * A volume has one replica, which is complete, for every {@code numberOfReplicas}: the disk
   * provides redundancy. On a disk that is {@link DiskInfo#shared() shared}, and on every
   * directory, the replica belongs to no node: each node that sees the disk can open it.
   */
  SHARED_DISK
}
