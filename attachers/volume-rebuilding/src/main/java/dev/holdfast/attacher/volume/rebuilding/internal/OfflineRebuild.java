package dev.holdfast.attacher.volume.rebuilding.internal;

import dev.holdfast.attacher.DiskCandidates;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;

/** Whether a volume has too few current replicas, and whether attaching it would help. */
final class OfflineRebuild {
  /**
   * Failures after which the rebuild waits for the administrator; otherwise the volume would stay
   * attached.
   */
  static final int MOST_RETRIES = 5;

  private OfflineRebuild() {}

  static boolean isNeeded(Volume volume, List<Replica> replicas) {
    boolean alive =
        !volume.isBeingDeleted()
            && volume.status().state() != VolumeState.CREATING
            && volume.status().robustness() != Robustness.FAULTED;
    long current = replicas.stream().filter(OfflineRebuild::isCurrent).count();
    return alive && current > 0 && current < volume.spec().numberOfReplicas();
  }

  // A volume may be detached before a controller has recorded the exclusion of a replica in
  // failedAt. The status then holds the last mode that the engine reported. A rebuild clears
  // failedAt at its beginning, when the status may be outdated: the replica counts again after
  // lastHealthyAt.
  private static boolean isCurrent(Replica replica) {
    return !replica.isBeingDeleted()
        && !replica.spec().witness()
        && replica.status().mode() == ReplicaMode.RW
        && replica.spec().failedAt().isEmpty()
        && replica.spec().healthyAt().isPresent()
        && !isRecovering(replica.spec());
  }

  private static boolean isRecovering(ReplicaSpec spec) {
    return spec.lastFailedAt()
        .filter(failed -> spec.lastHealthyAt().filter(h -> h.isAfter(failed)).isEmpty())
        .isPresent();
  }

  /** Whether there is a replica to rebuild, or room for one. */
  static boolean isPossible(Volume volume, List<Replica> replicas, List<Node> nodes) {
    List<Replica> others =
        replicas.stream()
            .filter(replica -> !isCurrent(replica) && !replica.isBeingDeleted())
            .filter(replica -> !replica.spec().witness())
            .toList();
    if (others.stream().anyMatch(replica -> canBeRebuilt(replica, nodes))) {
      return true;
    }
    return others.isEmpty() && DiskCandidates.exist(volume, replicas, nodes);
  }

  private static boolean canBeRebuilt(Replica replica, List<Node> nodes) {
    return replica.spec().rebuildRetryCount() < MOST_RETRIES
        && nodes.stream()
            .filter(node -> node.name().equals(replica.spec().nodeID()))
            .anyMatch(node -> Condition.isTrue(node.status().conditions(), Condition.READY));
  }
}
