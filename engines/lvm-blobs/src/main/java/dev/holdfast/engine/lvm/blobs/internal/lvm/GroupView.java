package dev.holdfast.engine.lvm.blobs.internal.lvm;

import java.util.Map;

/**
 * A group and its volumes as one program of LVM reported them.
 *
 * @param group the group
 * @param volumes of the group by name, those that LVM hides left out
 */
public record GroupView(GroupReport group, Map<String, LogicalVolume> volumes) {
  /** Copies the volumes. */
  public GroupView {
    volumes = Map.copyOf(volumes);
  }
}
