package dev.holdfast.volume.internal;

import java.util.List;

/**
 * Places of new replicas.
 *
 * @param targets one for each replica that was asked for, a witness last; empty when not all could
 *     be placed
 * @param reason for machines, empty when all were placed
 * @param message names what is missing, disk by disk; empty when all were placed
 */
record Placement(List<Target> targets, String reason, String message) {
  /** Nothing was asked for. */
  static final Placement NONE = new Placement(List.of(), "", "");

  Placement {
    targets = List.copyOf(targets);
  }

  boolean isComplete() {
    return reason.isEmpty();
  }

  /**
   * A disk.
   *
   * @param diskUUID of a shared disk, which has no node, identifier and path; empty of others
   */
  record Target(String nodeID, String diskID, String diskPath, String diskUUID) {
    static Target shared(String diskUUID) {
      return new Target("", "", "", diskUUID);
    }
  }

  /**
   * Wanted replicas.
   *
   * @param copies how many replicas with data
   * @param witness whether a witness too, on a node without any other replica
   */
  record Wanted(int copies, boolean witness) {
    static Wanted copies(int count) {
      return new Wanted(count, false);
    }
  }
}
