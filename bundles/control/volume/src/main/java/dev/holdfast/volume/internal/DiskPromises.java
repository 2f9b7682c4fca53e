package dev.holdfast.volume.internal;

import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Promised space of disks. A disk with the same identity on several nodes counts as one, so that
 * promises through all nodes are added. Directories of a node on one filesystem also count as one
 * disk, because they share the free space. A disk that was not reported yet is identified by its
 * node and identifier.
 */
final class DiskPromises {
  private final Map<String, Promised> promises = new HashMap<>();

  /** A sum that increases while replicas are placed. */
  static final class Promised {
    private BigInteger bytes = BigInteger.ZERO;

    BigInteger bytes() {
      return bytes;
    }

    void add(BigInteger more) {
      bytes = bytes.add(more);
    }
  }

  /**
   * Adds up promises.
   *
   * @param replicas of all volumes
   */
  DiskPromises(NodeInventory nodes, List<Replica> replicas) {
    Map<String, String> identities = new HashMap<>();
    for (Node node : nodes.all()) {
      node.spec()
          .disks()
          .keySet()
          .forEach(id -> identities.put(place(node.name(), id), key(node, id)));
    }
    for (Replica replica : replicas) {
      if (!replica.spec().witness() && replica.isScheduled()) {
        String place = place(replica.spec().nodeID(), replica.spec().diskID());
        String key =
            replica.isOnSharedDisk()
                ? identity(replica.spec().diskUUID())
                : identities.getOrDefault(place, place);
        promised(key).add(DiskFilter.bytes(replica.spec().size()));
      }
    }
  }

  /** Returns the promised space of a node's disk; the same object for all nodes with the disk. */
  Promised of(Node node, String diskID) {
    return promised(key(node, diskID));
  }

  private Promised promised(String key) {
    return promises.computeIfAbsent(key, unknown -> new Promised());
  }

  private static String key(Node node, String id) {
    DiskStatus status = node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY);
    Optional<String> filesystem = status.sharedFilesystem();
    if (status.type() == DiskType.DIRECTORY && filesystem.isPresent()) {
      return "filesystem " + node.name() + "/" + filesystem.get();
    }
    String uuid = status.diskUUID();
    return uuid.isEmpty() ? place(node.name(), id) : identity(uuid);
  }

  private static String place(String node, String id) {
    return "place " + node + "/" + id;
  }

  private static String identity(String uuid) {
    return "disk " + uuid;
  }
}
