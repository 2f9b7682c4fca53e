package dev.holdfast.attacher.volume.eviction.internal;

import dev.holdfast.attacher.DiskCandidates;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;

/** Whether replicas of a volume are to move to other disks, and whether any could take them. */
final class Eviction {
  private Eviction() {}

  /**
   * Returns whether a replica is to leave its disk. A deleted replica that failed may go only after
   * the running engine has reported that other replicas are current.
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
   * Returns whether attaching the volume can complete the move: a disk can take a replica, a new
   * replica is being rebuilt, or enough current replicas stay and only the others have to go.
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
   * A deleted replica can be replaced on its own disk. A replica that failed is rebuilt or replaced
   * there, too, unless its disk is to be emptied.
   */
  private static boolean occupiesItsDisk(Replica replica) {
    boolean rebuilt = replica.spec().failedAt().isPresent() && !replica.spec().evictionRequested();
    return !replica.isBeingDeleted() && !rebuilt;
  }
}
