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

/**
 * Decides whether a volume has too few current replicas, and whether an attachment can change that.
 */
final class OfflineRebuild {
  /**
   * Number of failures after which the rebuild waits for an administrator. Without a limit the
   * volume would stay attached.
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
  // failedAt. The status then holds the last mode that the engine reported. The start of a rebuild
  // clears failedAt, and the status may be outdated at that time. The replica therefore counts
  // again only after lastHealthyAt.
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

  /** Returns whether a replica can be rebuilt, or a disk can receive a new one. */
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
