package dev.holdfast.resource.node;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * Declaration of an engine about its disks. An engine without one keeps replicas in directories of
 * single nodes, and its replicas fence earlier openings.
 *
 * @param types kinds of disks on which the engine can keep replicas
 * @param topology placement of a volume's replicas: NODE_REPLICAS or SHARED_DISK
 * @param fencing protection against an earlier opening: REPLICAS or DISK_LOCK
 */
@RecordBuilder
public record EngineDisks(List<DiskType> types, String topology, String fencing)
    implements EngineDisksBuilder.With {
  /** Topology of an engine whose volumes have replicas on several nodes. */
  public static final String NODE_REPLICAS = "NODE_REPLICAS";

  /** Topology of an engine whose volumes have one replica, on a disk that several nodes may see. */
  public static final String SHARED_DISK = "SHARED_DISK";

  /** Fencing by the replicas, which reject earlier openings. */
  public static final String REPLICAS = "REPLICAS";

  /** Fencing by a lock on the disk. */
  public static final String DISK_LOCK = "DISK_LOCK";

  /** The declaration for an engine without its own. */
  public static final EngineDisks DEFAULT = new EngineDisks(null, null, null);

  /** Replaces null components by their defaults and copies the list. */
  public EngineDisks {
    types = types == null ? List.of(DiskType.DIRECTORY) : List.copyOf(types);
    topology = Defaults.or(topology, NODE_REPLICAS);
    fencing = Defaults.or(fencing, REPLICAS);
  }
}
