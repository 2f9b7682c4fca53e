package dev.holdfast.attacher;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether attaching a volume for the sake of its replicas can lead to anything: without a disk that
 * could take another replica it would wait in vain, and keep others from the volume. Coarser than
 * the scheduler, which also weighs settings and what is promised to others: a disk that is none
 * here is none there.
 */
public final class DiskCandidates {
  private static final String READY = "Ready";

  private DiskCandidates() {}

  /**
   * Returns whether a ready disk may and could take another replica of a volume.
   *
   * @param volume the volume, not null
   * @param replicas all of the volume: their disks are taken
   * @param nodes all nodes
   */
  public static boolean exist(Volume volume, List<Replica> replicas, List<Node> nodes) {
    Set<String> taken =
        replicas.stream()
            .map(replica -> replica.spec().nodeID() + "/" + replica.spec().diskID())
            .collect(Collectors.toSet());
    return nodes.stream().anyMatch(node -> takes(node, volume, taken));
  }

  private static boolean takes(Node node, Volume volume, Set<String> taken) {
    boolean open =
        !node.isCordoned()
            && !node.spec().evictionRequested()
            && Condition.isTrue(node.status().conditions(), READY)
            && node.spec().tags().containsAll(volume.spec().nodeSelector());
    return open
        && node.spec().disks().entrySet().stream()
            .filter(disk -> !taken.contains(node.name() + "/" + disk.getKey()))
            .anyMatch(disk -> takes(node, disk, volume));
  }

  private static boolean takes(Node node, Map.Entry<String, DiskSpec> disk, Volume volume) {
    DiskSpec spec = disk.getValue();
    DiskStatus status = node.status().diskStatus().getOrDefault(disk.getKey(), DiskStatus.EMPTY);
    long free = status.storageAvailable().bytes() - spec.storageReserved().bytes();
    return spec.allowScheduling()
        && !spec.evictionRequested()
        && spec.tags().containsAll(volume.spec().diskSelector())
        && Condition.isTrue(status.conditions(), READY)
        && free >= volume.status().actualSize().bytes();
  }
}
