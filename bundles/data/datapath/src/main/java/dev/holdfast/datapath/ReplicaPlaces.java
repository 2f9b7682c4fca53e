package dev.holdfast.datapath;

import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Places of the replicas of one engine, as seen from this node. Only an engine that declares kinds
 * of disks needs the nodes: for other engines the replica's spec is sufficient.
 */
public final class ReplicaPlaces {
  private final boolean declaresDisks;
  private final String here;
  private final Nodes nodes;

  /** Finds nodes by name. */
  @FunctionalInterface
  public interface Nodes {
    /**
     * Returns the node of a name, if it is known.
     *
     * @throws StorageException when the store does not answer
     */
    Optional<Node> find(String name) throws StorageException;
  }

  /**
   * Creates the places of the replicas of an engine.
   *
   * @param engine engine of the replicas, empty while its bundle is absent, not null
   * @param here name of this node, not null
   * @param nodes finds the nodes that the replicas name, not null
   */
  public ReplicaPlaces(Optional<EngineProvider> engine, String here, Nodes nodes) {
    this.declaresDisks = engine.filter(DiskEngine.class::isInstance).isPresent();
    this.here = here;
    this.nodes = nodes;
  }

  /**
   * Returns the place of a replica.
   *
   * @throws StorageException UNREACHABLE when the replica is on a shared disk that this node cannot
   *     access; INVALID when its fields are wrong
   */
  public ReplicaLocation of(Replica replica) throws StorageException {
    if (!replica.isOnSharedDisk() && !declaresDisks) {
      return ReplicaLocations.of(replica);
    }
    try {
      return new ReplicaLocation(
          replica.spec().volume(),
          replica.name(),
          replica.isOnSharedDisk() ? shared(replica) : ofNode(replica),
          replica.spec().dataDirectoryName(),
          replica.spec().witness());
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "replica " + replica.name() + ": " + e.getMessage(), e);
    }
  }

  private DiskLocation shared(Replica replica) throws StorageException {
    Optional<Node> node = nodes.find(here);
    Optional<String> id = node.flatMap(replica::diskOn);
    if (id.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "replica "
              + replica.name()
              + ": node "
              + here
              + " does not see disk "
              + replica.spec().diskUUID()
              + ": add it with 'holdfast disk add', or attach the volume to a node that sees it");
    }
    return location(here, id.get(), node.get().spec().disks().get(id.get()));
  }

  /** The kind of a disk that its node stopped listing is unknown; the disk is unreachable. */
  private DiskLocation ofNode(Replica replica) throws StorageException {
    String node = replica.spec().nodeID();
    String id = replica.spec().diskID();
    DiskType type =
        nodes
            .find(node)
            .map(found -> found.spec().disks().getOrDefault(id, DiskSpec.EMPTY))
            .orElse(DiskSpec.EMPTY)
            .type();
    return new DiskLocation(node, id, kind(type), Path.of(replica.spec().diskPath()));
  }

  /** Returns the place of a disk of a node. */
  public static DiskLocation location(String node, String id, DiskSpec disk) {
    return new DiskLocation(node, id, kind(disk.type()), Path.of(disk.path()));
  }

  private static DiskKind kind(DiskType type) {
    return switch (type) {
      case DIRECTORY -> DiskKind.DIRECTORY;
      case DEVICE -> DiskKind.DEVICE;
      case VOLUME_GROUP -> DiskKind.VOLUME_GROUP;
    };
  }

  /** Returns the disk type of the API for a disk kind of the engine API. */
  public static DiskType type(DiskKind kind) {
    return switch (kind) {
      case DIRECTORY -> DiskType.DIRECTORY;
      case DEVICE -> DiskType.DEVICE;
      case VOLUME_GROUP -> DiskType.VOLUME_GROUP;
    };
  }
}
