package dev.holdfast.attacher.volume.eviction.internal;

import dev.holdfast.attacher.DiskCandidates;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;

/**
 * Decides whether replicas of a volume must move to other disks, and whether a disk can receive
 * them.
 */
final class Eviction {
  private Eviction() {}

  /**
   * Returns whether a replica must leave its disk. A deleted replica that failed may be removed
   * only after the running engine has reported that other replicas are current.
   */
  static boolean isNeeded(Volume volume, List<Replica> replicas) {
    boolean alive =
        !volume.isBeingDeleted()
            && volume.status().state() != VolumeState.CREATING
            && volume.status().robustness() != Robustness.FAULTED;
    return alive
        && replicas.stream()
            .anyMatch(
                replica ->
                    replica.spec().evictionRequested()
                        && (replica.spec().failedAt().isEmpty() || replica.isBeingDeleted())
                        && !replica.isDisposable());
  }

  /**
   * Returns whether the attached volume can complete the move. This is so if a disk can receive a
   * replica, if a new replica is being rebuilt, or if enough current replicas remain without the
   * leaving ones.
   */
  static boolean isPossible(Volume volume, List<Replica> replicas, List<Node> nodes) {
    List<Replica> staying =
        replicas.stream()
            .filter(
                replica ->
                    !replica.spec().evictionRequested()
                        && replica.spec().failedAt().isEmpty()
                        && !replica.isBeingDeleted())
            .toList();
    List<Replica> occupying = replicas.stream().filter(Eviction::occupiesItsDisk).toList();
    boolean onItsWay = staying.stream().anyMatch(replica -> replica.spec().healthyAt().isEmpty());
    boolean replaced = staying.size() >= volume.spec().numberOfReplicas();
    return onItsWay || replaced || DiskCandidates.exist(volume, occupying, nodes);
  }

  /**
   * Returns whether the replica needs its disk. A deleted replica can be replaced on its own disk.
   * A failed replica is rebuilt or replaced on its disk too, unless the disk must be emptied.
   */
  private static boolean occupiesItsDisk(Replica replica) {
    boolean rebuilt = replica.spec().failedAt().isPresent() && !replica.spec().evictionRequested();
    return !replica.isBeingDeleted() && !rebuilt;
  }
}
