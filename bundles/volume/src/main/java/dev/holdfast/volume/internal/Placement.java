package dev.holdfast.volume.internal;

import java.util.List;

/**
 * Where replicas go.
 *
 * @param targets one for each replica that was asked for; empty when not all could be placed
 * @param reason for machines, empty when all were placed
 * @param message names what is missing, disk by disk; empty when all were placed
 */
record Placement(List<Target> targets, String reason, String message) {
  Placement {
    targets = List.copyOf(targets);
  }

  boolean isComplete() {
    return reason.isEmpty();
  }

  /** A disk. */
  record Target(String nodeID, String diskID, String diskPath) {}
}
