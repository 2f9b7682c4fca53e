package dev.holdfast.client;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import java.util.List;

/**
 * A disk of a node.
 *
 * @param node node with the disk
 * @param id identifier of the disk on the node
 * @param spec wanted state
 * @param status observed state
 * @param replicas names of the replicas on the disk, including those of deleted volumes
 * @param deleted bytes that the retained content of deleted volumes uses
 */
public record Disk(
    String node,
    String id,
    DiskSpec spec,
    DiskStatus status,
    List<String> replicas,
    Quantity deleted) {
  /** Copies the list. */
  public Disk {
    replicas = List.copyOf(replicas);
  }
}
