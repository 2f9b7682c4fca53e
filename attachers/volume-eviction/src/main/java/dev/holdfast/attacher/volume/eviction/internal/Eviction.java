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
   * A deleted replica that failed is let go by the running engine's word that others are current.
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
   * A replica that was made for it already is a place, too; and when all that are wanted are
   * current elsewhere, what leaves only has to be taken out.
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
    // A deleted replica can be replaced on its own disk.
    List<Replica> kept = replicas.stream().filter(replica -> !replica.isBeingDeleted()).toList();
    boolean onItsWay = staying.stream().anyMatch(replica -> replica.spec().healthyAt().isEmpty());
    boolean replaced = staying.size() >= volume.spec().numberOfReplicas();
    return onItsWay || replaced || DiskCandidates.exist(volume, kept, nodes);
  }
}
