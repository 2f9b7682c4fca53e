package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import java.util.UUID;

/**
 * Who a replica is. A copy that was wiped and made again is somebody else.
 *
 * @param id never used twice
 * @param volume whose bytes it holds
 * @param replica its name in the cluster
 */
public record ReplicaIdentity(String id, String volume, String replica) {
  private static final String WITNESS = "witness-";

  /** Returns a new identity for what is at a place. */
  static ReplicaIdentity create(ReplicaLocation location) {
    String id = UUID.randomUUID().toString();
    return new ReplicaIdentity(
        location.witness() ? WITNESS + id : id, location.volume(), location.replica());
  }

  /** Returns whether the one of this identity votes only, and keeps no data. */
  public static boolean ofWitness(String id) {
    return id.startsWith(WITNESS);
  }
}
