package dev.holdfast.attacher.volume.eviction.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.DiskSpec;
import dev.holdfast.resource.DiskStatus;
import dev.holdfast.resource.Node;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.Robustness;
import dev.holdfast.resource.Volume;
import dev.holdfast.resource.VolumeState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Whether replicas of a volume are to move to other disks, and whether any could take them. */
final class Eviction {
  private static final String READY = "Ready";

  private Eviction() {}

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
                        && replica.spec().failedAt().isEmpty()
                        && !replica.isBeingDeleted());
  }

  /**
   * Without a place to go an attached volume would wait in vain, and keep others from it (SEMANTICS
   * H 7). Space is the scheduler's judgement, which it tells by the condition Scheduled.
   */
  static boolean isPossible(Volume volume, List<Replica> replicas, List<Node> nodes) {
    boolean noSpace =
        Condition.find(volume.status().conditions(), "Scheduled")
            .filter(condition -> condition.status() == Condition.Status.FALSE)
            .isPresent();
    if (noSpace) {
      return false;
    }
    boolean onItsWay =
        replicas.stream()
            .anyMatch(
                replica ->
                    !replica.spec().evictionRequested()
                        && replica.spec().healthyAt().isEmpty()
                        && replica.spec().failedAt().isEmpty());
    Set<String> taken =
        replicas.stream().map(replica -> replica.spec().diskID()).collect(Collectors.toSet());
    return onItsWay || nodes.stream().anyMatch(node -> takes(node, volume, taken));
  }

  private static boolean takes(Node node, Volume volume, Set<String> taken) {
    boolean open =
        node.spec().allowScheduling()
            && !node.spec().evictionRequested()
            && Condition.isTrue(node.status().conditions(), READY)
            && node.spec().tags().containsAll(volume.spec().nodeSelector());
    return open
        && node.spec().disks().entrySet().stream()
            .anyMatch(disk -> !taken.contains(disk.getKey()) && takes(node, disk, volume));
  }

  private static boolean takes(Node node, Map.Entry<String, DiskSpec> disk, Volume volume) {
    DiskStatus status = node.status().diskStatus().getOrDefault(disk.getKey(), DiskStatus.EMPTY);
    return disk.getValue().allowScheduling()
        && !disk.getValue().evictionRequested()
        && disk.getValue().tags().containsAll(volume.spec().diskSelector())
        && Condition.isTrue(status.conditions(), READY);
  }
}
