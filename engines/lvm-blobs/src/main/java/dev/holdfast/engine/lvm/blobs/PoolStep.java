package dev.holdfast.engine.lvm.blobs;

import java.util.Optional;

/**
 * One step of a node towards what the record of a pool says.
 *
 * @param kind of the step
 * @param place that {@link Kind#RECORD} writes
 * @param node that {@link Kind#WAIT} names
 */
record PoolStep(Kind kind, Optional<PoolPlace> place, String node) {
  /** Kind of a step. */
  enum Kind {
    /** Writes another place of the pool, if the record still is the one that was read. */
    RECORD,
    /** Lets requests wait, ends those in flight, and points the devices of this node nowhere. */
    RELEASE,
    /** Withdraws the exports and takes the pool's devices away, which gives its lock back. */
    DEACTIVATE,
    /** Takes the lock and gives the pool its devices. Fails while another host has the lock. */
    ACTIVATE,
    /** Exports the blobs that other nodes use, and no others. */
    EXPORT,
    /** Points the devices of this node at the pool, or at its exports, and lets requests pass. */
    CONNECT,
    /** Has nothing to do until another node has made its step. */
    WAIT,
    /** Has nothing to do. */
    DONE;

    /** Returns whether the volumes of the pool on this host are as active as before the step. */
    boolean keepsHost() {
      return switch (this) {
        case RECORD, RELEASE, CONNECT, WAIT, DONE -> true;
        case DEACTIVATE, ACTIVATE, EXPORT -> false;
      };
    }
  }

  static PoolStep of(Kind kind) {
    return new PoolStep(kind, Optional.empty(), "");
  }

  static PoolStep record(PoolPlace next) {
    return new PoolStep(Kind.RECORD, Optional.of(next), "");
  }

  static PoolStep waitFor(String node) {
    return new PoolStep(Kind.WAIT, Optional.empty(), node);
  }
}
