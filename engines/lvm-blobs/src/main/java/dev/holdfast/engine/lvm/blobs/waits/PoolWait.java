package dev.holdfast.engine.lvm.blobs.waits;

import java.util.Objects;
import java.util.Set;

/**
 * Cause for which requests to the blobs of a thin pool wait on this node.
 *
 * @param group name of the volume group
 * @param pool name of the pool's logical volume
 * @param blobs names of those whose requests wait
 * @param cause of it
 * @param message for a person, with the remedy
 */
public record PoolWait(String group, String pool, Set<String> blobs, Cause cause, String message) {
  /** Why requests wait. */
  public enum Cause {
    /** The node that has the pool does not answer, and its lock has not expired. */
    LOCKED,
    /** Another node is to have the pool. */
    MOVING,
    /** The pool is full, and its group has no room; only writes to new blocks wait. */
    FULL,
    /** The pool needs a repair; only writes to new blocks are concerned, and they fail. */
    DAMAGED
  }

  /** Copies the blobs. */
  public PoolWait {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(pool, "pool");
    Objects.requireNonNull(cause, "cause");
    Objects.requireNonNull(message, "message");
    blobs = Set.copyOf(blobs);
  }
}
