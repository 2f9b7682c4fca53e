package dev.holdfast.image.internal.control;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A disk of a node that can have images: a directory with a known identity.
 *
 * @param node that has it
 * @param id its name on the node
 * @param spec what is wanted of it
 * @param status what is observed of it
 */
record ImageDisk(Node node, String id, DiskSpec spec, DiskStatus status) {
  static List<ImageDisk> all(List<Node> nodes) {
    List<ImageDisk> disks = new ArrayList<>();
    for (Node node : nodes) {
      node.spec()
          .disks()
          .forEach(
              (id, spec) -> {
                DiskStatus status = node.status().diskStatus().get(id);
                if (status != null
                    && !status.diskUUID().isEmpty()
                    && spec.type() == DiskType.DIRECTORY) {
                  disks.add(new ImageDisk(node, id, spec, status));
                }
              });
    }
    return disks;
  }

  static Optional<ImageDisk> find(Node node, String uuid) {
    return all(List.of(node)).stream().filter(disk -> disk.uuid().equals(uuid)).findFirst();
  }

  String uuid() {
    return status.diskUUID();
  }

  /** Whether node and disk can be worked with now. */
  boolean isReady() {
    return Condition.isTrue(node.status().conditions(), Condition.READY) && node.isDiskReady(id);
  }

  /** Whether the disk can take a copy of an image now. */
  boolean isEligible(BackingImageSpec image) {
    return isReady()
        && !node.isCordoned()
        && spec.allowScheduling()
        && node.status().engines().contains(image.dataEngine())
        && node.spec().tags().containsAll(image.nodeSelector())
        && spec.tags().containsAll(image.diskSelector());
  }

  /** Whether all that the disk holds is to leave it. */
  boolean isLeaving() {
    return spec.evictionRequested() || node.spec().evictionRequested();
  }
}
