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
 * Space that is promised of disks. One identity on several nodes is one disk: what is promised of
 * it through one node is promised through every other. Directories of a node on one filesystem are
 * one disk, too, because they have the same free space. A disk that no node reported yet counts by
 * its node and identifier.
 */
final class DiskPromises {
  private final Map<String, Promised> promises = new HashMap<>();

  /** A sum that grows while replicas are placed. */
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

  /** Returns what is promised of a disk of a node; the same object for each way to one disk. */
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
