package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.Replica;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Places of the replicas of one volume. Failed and deleted replicas are ignored, so that a deleted
 * one can be replaced on its own disk. Leaving replicas are counted separately, because their
 * places become free.
 */
final class ReplicaPlacements {
  private final Map<String, Integer> staying = new HashMap<>();
  private final Map<String, Integer> leaving = new HashMap<>();

  ReplicaPlacements(List<Replica> replicas, NodeInventory nodes) {
    for (Replica replica : replicas) {
      boolean counts = replica.spec().failedAt().isEmpty() && !replica.isBeingDeleted();
      if (counts && !replica.spec().nodeID().isEmpty()) {
        Map<String, Integer> places = nodes.isEvicting(replica) ? leaving : staying;
        add(
            places,
            replica.spec().nodeID(),
            nodes.zone(replica.spec().nodeID()),
            replica.spec().diskID());
      }
    }
  }

  /** Adds a replica that stays in a place. */
  void add(String node, String zone, String disk) {
    add(staying, node, zone, disk);
  }

  private static void add(Map<String, Integer> places, String node, String zone, String disk) {
    places.merge(nodeKey(node), 1, Integer::sum);
    places.merge(diskKey(node, disk), 1, Integer::sum);
    if (!zone.isEmpty()) {
      places.merge(zoneKey(zone), 1, Integer::sum);
    }
  }

  int onNode(String node) {
    return staying.getOrDefault(nodeKey(node), 0);
  }

  int leavingNode(String node) {
    return leaving.getOrDefault(nodeKey(node), 0);
  }

  int onDisk(String node, String disk) {
    return staying.getOrDefault(diskKey(node, disk), 0)
        + leaving.getOrDefault(diskKey(node, disk), 0);
  }

  /** Returns the number of replicas in a zone. Nodes without a zone share none. */
  int inZone(String zone) {
    return zone.isEmpty() ? 0 : staying.getOrDefault(zoneKey(zone), 0);
  }

  private static String nodeKey(String node) {
    return "node " + node;
  }

  private static String diskKey(String node, String disk) {
    return "disk " + node + "/" + disk;
  }

  private static String zoneKey(String zone) {
    return "zone " + zone;
  }
}
