package dev.holdfast.csi.internal.controller;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Space for new replicas on the disks that the engine of a volume can use. A disk with the same
 * identity on several nodes counts once; so do directories of a node on one filesystem.
 */
final class DiskRoom {
  private final List<Node> all;
  private final List<Replica> replicas;

  DiskRoom(List<Node> all, List<Replica> replicas) {
    this.all = List.copyOf(all);
    this.replicas = List.copyOf(replicas);
  }

  /**
   * Returns the free space of each disk.
   *
   * @param wanted engine and selectors of the volume
   * @param nodes nodes with the disks
   */
  List<Long> of(VolumeSpec wanted, List<Node> nodes) {
    EngineDeclaration engine = EngineDeclaration.of(wanted.dataEngine(), all);
    Map<String, Long> free = new LinkedHashMap<>();
    for (Node node : nodes) {
      if (isUsable(node, wanted)) {
        node.spec()
            .disks()
            .forEach(
                (id, disk) -> {
                  if (isUsable(disk, wanted) && engine.canUse(node, id)) {
                    free.merge(space(node, id), free(node, id, disk), Math::max);
                  }
                });
      }
    }
    return List.copyOf(free.values());
  }

  private static boolean isUsable(Node node, VolumeSpec wanted) {
    return !node.isCordoned()
        && !node.spec().evictionRequested()
        && Condition.isTrue(node.status().conditions(), Condition.READY)
        && node.spec().tags().containsAll(wanted.nodeSelector());
  }

  private static boolean isUsable(DiskSpec disk, VolumeSpec wanted) {
    return disk.allowScheduling()
        && !disk.evictionRequested()
        && disk.tags().containsAll(wanted.diskSelector());
  }

  private static String identity(Node node, String id) {
    String uuid = node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY).diskUUID();
    return uuid.isEmpty() ? node.name() + "/" + id : uuid;
  }

  private static String space(Node node, String id) {
    DiskStatus status = node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY);
    return status.type() == DiskType.DIRECTORY && status.sharedFilesystem().isPresent()
        ? node.name() + "/" + status.sharedFilesystem().get()
        : identity(node, id);
  }

  private long free(Node node, String id, DiskSpec disk) {
    DiskStatus status = node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY);
    if (!node.isDiskReady(id)) {
      return 0;
    }
    long left =
        disk.type() == DiskType.DIRECTORY
            ? status.storageAvailable().bytes()
            : status.storagePromisable().bytes() - promised(identity(node, id));
    return Math.max(0, left - disk.storageReserved().bytes());
  }

  /** Returns the total size that all nodes have promised on a disk. */
  private long promised(String identity) {
    return replicas.stream()
        .filter(replica -> !replica.spec().witness())
        .filter(
            replica ->
                all.stream()
                    .anyMatch(
                        node ->
                            replica
                                .diskOn(node)
                                .filter(id -> identity(node, id).equals(identity))
                                .isPresent()))
        .mapToLong(replica -> replica.spec().size().bytes())
        .sum();
  }
}
