package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.links.PoolLinks;
import dev.holdfast.engine.lvm.blobs.locks.GroupLocks;
import java.util.Objects;

/**
 * Means by which the nodes of a shared group work together.
 *
 * @param locks of the group, as this host sees them
 * @param links between the active node of a pool and its users
 * @param peers blob managers of the other nodes
 */
public record SharedAccess(GroupLocks locks, PoolLinks links, PoolPeers peers) {
  /** Checks that nothing is missing. */
  public SharedAccess {
    Objects.requireNonNull(locks, "locks");
    Objects.requireNonNull(links, "links");
    Objects.requireNonNull(peers, "peers");
  }
}
