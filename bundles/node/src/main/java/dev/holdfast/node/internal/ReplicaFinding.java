package dev.holdfast.node.internal;

import java.util.Optional;

/**
 * What was found in a replica's place.
 *
 * @param fault what is wrong, empty when it can be used
 * @param usedBytes what it takes, empty when that is not known
 * @param missing whether its data is gone
 */
record ReplicaFinding(Optional<DiskProbe.Fault> fault, Optional<Long> usedBytes, boolean missing) {

  static ReplicaFinding present(long usedBytes) {
    return new ReplicaFinding(Optional.empty(), Optional.of(usedBytes), false);
  }

  static ReplicaFinding faulty(DiskProbe.Fault fault) {
    return new ReplicaFinding(Optional.of(fault), Optional.empty(), false);
  }

  static ReplicaFinding missing(String message) {
    return new ReplicaFinding(
        Optional.of(new DiskProbe.Fault(ReplicaStatuses.DATA_MISSING, message)),
        Optional.empty(),
        true);
  }
}
