package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Replica;
import java.util.List;
import java.util.stream.Collectors;

/** Replicas whose data is missing on their disk, as reported by their node. */
final class LostData {
  /** Reason with which a node reports this in the replica's condition Provisioned. */
  static final String REASON = Replica.DATA_MISSING_REASON;

  private LostData() {}

  static boolean isLost(Replica replica) {
    return Condition.find(replica.status().conditions(), VolumeConditions.PROVISIONED)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .filter(condition -> condition.reason().equals(REASON))
        .isPresent();
  }

  static List<Replica> among(List<Replica> replicas) {
    return replicas.stream()
        .filter(replica -> !replica.isBeingDeleted() && isLost(replica))
        .toList();
  }

  /** Describes lost replicas and their replacement. */
  static String text(List<Replica> lost, int staleMinutes) {
    return lost.stream().map(LostData::place).collect(Collectors.joining("; "))
        + ": restore it, or leave it: another replica takes its place, and this one is deleted "
        + staleMinutes
        + " minutes after it failed (staleReplicaTimeout)";
  }

  private static String place(Replica replica) {
    return "the data of replica "
        + replica.name()
        + " is gone from "
        + (replica.isOnSharedDisk()
            ? "shared disk " + replica.spec().diskUUID() + ", where it was "
            : "node "
                + replica.spec().nodeID()
                + ", directory "
                + replica.spec().dataDirectoryName()
                + " of disk ")
        + (replica.isOnSharedDisk() ? replica.spec().dataDirectoryName() : replica.spec().diskID());
  }
}
