package dev.holdfast.sharing.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * Facts from which the placement of a share is decided.
 *
 * @param need whether the share must be served
 * @param holder state of the node in {@code status.nodeID}
 * @param attached whether the volume is attached to that node with its frontend
 * @param choice the node that can serve next, or the reason why none can
 * @param inState time for which this controller has observed the state, epoch and node
 * @param controller the node whose controller decides
 * @param now the time
 */
record ShareFacts(
    ShareNeed need,
    Holder holder,
    boolean attached,
    NodeChoice choice,
    Duration inState,
    String controller,
    Instant now) {
  ShareFacts {
    Objects.requireNonNull(need, "need");
    Objects.requireNonNull(holder, "holder");
    Objects.requireNonNull(choice, "choice");
    Objects.requireNonNull(inState, "inState");
  }

  /** State of the node of a share. */
  enum Holder {
    /** No node has the share. */
    NONE,
    /** The node reports and may serve. */
    READY,
    /** The node reports but may no longer serve: it is cordoned, or lost a tag. */
    LEAVING,
    /** The node does not report, or is gone. */
    LOST
  }
}
