package dev.holdfast.volume.internal;

import java.util.List;

/**
 * Places of new replicas.
 *
 * @param targets one for each requested replica, a witness last; empty if not all could be placed
 * @param reason for programs, empty if all were placed
 * @param message missing properties of each disk; empty if all were placed
 */
record Placement(List<Target> targets, String reason, String message) {
  /** The result without a request. */
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
   * @param diskUUID identity of a shared disk, which has no node, identifier and path; empty for
   *     other disks
   */
  record Target(String nodeID, String diskID, String diskPath, String diskUUID) {
    static Target shared(String diskUUID) {
      return new Target("", "", "", diskUUID);
    }
  }

  /**
   * Wanted replicas.
   *
   * @param copies number of replicas with data
   * @param witness whether a witness is wanted too, on a node without other replicas
   */
  record Wanted(int copies, boolean witness) {
    static Wanted copies(int count) {
      return new Wanted(count, false);
    }
  }
}
