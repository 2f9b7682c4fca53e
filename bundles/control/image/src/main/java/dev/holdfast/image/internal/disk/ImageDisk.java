package dev.holdfast.image.internal.disk;

import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A disk of a node that can store images: a directory with a known identity.
 *
 * @param node that has it
 * @param id its name on the node
 * @param spec its desired state
 * @param status its observed state
 */
public record ImageDisk(Node node, String id, DiskSpec spec, DiskStatus status) {
  /** Returns the disks of some nodes that can store images. */
  public static List<ImageDisk> all(List<Node> nodes) {
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

  /** Returns the disk of a node with a UUID. */
  public static Optional<ImageDisk> find(Node node, String uuid) {
    return all(List.of(node)).stream().filter(disk -> disk.uuid().equals(uuid)).findFirst();
  }

  /** Returns the identity of the disk. */
  public String uuid() {
    return status.diskUUID();
  }

  /** Returns whether node and disk are ready. */
  public boolean isReady() {
    return Condition.isTrue(node.status().conditions(), Condition.READY) && node.isDiskReady(id);
  }

  /** Returns the time since which node or disk is not ready; empty if no condition reports that. */
  public Optional<Instant> absentSince() {
    return Stream.of(node.status().conditions(), status.conditions())
        .flatMap(conditions -> Condition.find(conditions, Condition.READY).stream())
        .filter(ready -> ready.status() != Condition.Status.TRUE)
        .map(Condition::lastTransitionTime)
        .min(Comparator.naturalOrder());
  }

  /** Returns whether the disk can accept a copy of an image now. */
  public boolean isEligible(BackingImageSpec image) {
    return isReady()
        && !node.isCordoned()
        && spec.allowScheduling()
        && node.status().engines().contains(image.dataEngine())
        && node.spec().tags().containsAll(image.nodeSelector())
        && spec.tags().containsAll(image.diskSelector());
  }

  /** Returns whether all content of the disk is being evicted. */
  public boolean isLeaving() {
    return spec.evictionRequested() || node.spec().evictionRequested();
  }

  /**
   * Returns the place of an image's file on this disk.
   *
   * @param here the calling node
   * @throws StorageException INVALID for a name or UUID that cannot be a folder
   */
  public BaseLocation base(String image, String uuid, String here, String checksum)
      throws StorageException {
    try {
      return new BaseLocation(image, uuid, ReplicaPlaces.location(here, id, spec), checksum);
    } catch (IllegalArgumentException e) {
      throw new StorageException(ErrorCode.INVALID, "image " + image + ": " + e.getMessage(), e);
    }
  }
}
