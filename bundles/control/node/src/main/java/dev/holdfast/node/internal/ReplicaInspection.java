package dev.holdfast.node.internal;

import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaLink;
import java.util.Optional;

/**
 * Findings at a replica's place.
 *
 * @param fault fault of the replica, empty if it is usable
 * @param usedBytes used space, empty if unknown
 * @param missing whether its data is missing
 * @param link report on sharing a snapshot's content; empty repeats the last report
 */
record ReplicaInspection(
    Optional<DiskProbe.Fault> fault,
    Optional<Long> usedBytes,
    boolean missing,
    Optional<ReplicaLink> link) {

  static ReplicaInspection present(long usedBytes) {
    return new ReplicaInspection(Optional.empty(), Optional.of(usedBytes), false, Optional.empty());
  }

  static ReplicaInspection faulty(DiskProbe.Fault fault) {
    return new ReplicaInspection(Optional.of(fault), Optional.empty(), false, Optional.empty());
  }

  /** Returns the finding for a replica that is not provisioned yet. */
  static ReplicaInspection waiting(String why, ReplicaLink link) {
    return faulty(new DiskProbe.Fault(Replica.WAITS_FOR_CONTENT_REASON, why)).withLink(link);
  }

  /** Returns the finding for a replica that waits for the backing image on its disk. */
  static ReplicaInspection waitingForImage(String why) {
    return faulty(new DiskProbe.Fault(Replica.WAITS_FOR_IMAGE_REASON, why));
  }

  static ReplicaInspection missing(String message) {
    return new ReplicaInspection(
        Optional.of(new DiskProbe.Fault(Replica.DATA_MISSING_REASON, message)),
        Optional.empty(),
        true,
        Optional.empty());
  }

  ReplicaInspection withLink(ReplicaLink told) {
    return new ReplicaInspection(fault, usedBytes, missing, Optional.of(told));
  }
}
