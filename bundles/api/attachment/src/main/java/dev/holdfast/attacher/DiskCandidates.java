package dev.holdfast.attacher;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Map;

/**
 * Determines whether attaching a volume can give it another replica. Without a disk for another
 * replica the ticket would wait indefinitely and block other tickets of the volume. The check is
 * coarser than the scheduler, which also considers settings and reserved space. The scheduler
 * rejects every disk that this class rejects.
 */
public final class DiskCandidates {
  private static final String READY = Condition.READY;

  private DiskCandidates() {}

  /**
   * Returns whether a ready disk may receive another replica of a volume and has enough space.
   *
   * @param volume the volume, not null
   * @param replicas all replicas of the volume; their disks are excluded
   * @param nodes all nodes
   */
  public static boolean exist(Volume volume, List<Replica> replicas, List<Node> nodes) {
    EngineDeclaration engine = EngineDeclaration.of(volume.spec().dataEngine(), nodes);
    return nodes.stream().anyMatch(node -> takes(node, volume, engine, replicas));
  }

  private static boolean takes(
      Node node, Volume volume, EngineDeclaration engine, List<Replica> replicas) {
    boolean open =
        !node.isCordoned()
            && !node.spec().evictionRequested()
            && Condition.isTrue(node.status().conditions(), READY)
            && node.spec().tags().containsAll(volume.spec().nodeSelector());
    return open
        && node.spec().disks().entrySet().stream()
            .filter(disk -> engine.canUse(node, disk.getKey()))
            .filter(disk -> isFree(node, disk.getKey(), replicas))
            .anyMatch(disk -> takes(node, disk, volume));
  }

  private static boolean isFree(Node node, String disk, List<Replica> replicas) {
    return replicas.stream()
        .noneMatch(replica -> replica.diskOn(node).filter(disk::equals).isPresent());
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
