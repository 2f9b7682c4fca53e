package dev.holdfast.client;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import java.util.List;

/**
 * A disk of a node.
 *
 * @param node that has it
 * @param id its identifier on the node
 * @param spec wanted state
 * @param status observed state
 * @param replicas names of the replicas that are on it, also of those of deleted volumes
 * @param deleted bytes that the kept content of deleted volumes uses on it
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
