package dev.holdfast.datapath;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.nio.file.Path;

/** Locations of replicas, as engines know them. */
public final class ReplicaLocations {
  private ReplicaLocations() {}

  /**
   * Returns the location of a replica.
   *
   * @throws StorageException INVALID when its spec names no location
   */
  public static ReplicaLocation of(Replica replica) throws StorageException {
    ReplicaSpec spec = replica.spec();
    try {
      return new ReplicaLocation(
          spec.volume(),
          replica.name(),
          spec.nodeID(),
          Path.of(spec.diskPath()),
          spec.dataDirectoryName(),
          spec.witness());
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "replica " + replica.name() + ": " + e.getMessage(), e);
    }
  }
}
