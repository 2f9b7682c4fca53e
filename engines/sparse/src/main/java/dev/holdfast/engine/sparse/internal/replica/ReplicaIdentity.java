package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.layout.NameHash;
import java.util.UUID;

/**
 * Identity of a replica. A replica that was wiped and created again has a new identity.
 *
 * @param id unique identifier
 * @param volume volume whose data it holds
 * @param replica name of the replica in the cluster
 */
public record ReplicaIdentity(String id, String volume, String replica) {
  private static final String WITNESS = "witness-";
  private static final String LINKED = "linked-";

  /** Returns a new identity for an empty replica at a place. */
  static ReplicaIdentity create(ReplicaLocation location) {
    String id = UUID.randomUUID().toString();
    return new ReplicaIdentity(
        location.witness() ? WITNESS + id : id, location.volume(), location.replica());
  }

  /**
   * Returns a new identity for a replica at a place that starts with content.
   *
   * @param content name of the content; replicas with equal initial content have equal names
   */
  static ReplicaIdentity linked(ReplicaLocation location, String content) {
    String id = LINKED + NameHash.of(content) + "-" + UUID.randomUUID();
    return new ReplicaIdentity(id, location.volume(), location.replica());
  }

  /** Returns whether the replica started with this content. */
  boolean heldFirst(String content) {
    return firstContentOf(id).equals(NameHash.of(content));
  }

  /** Returns the hash of the initial content of the replica with this identity, empty for none. */
  public static String firstContentOf(String id) {
    return id.startsWith(LINKED)
        ? id.substring(LINKED.length(), id.indexOf('-', LINKED.length()))
        : "";
  }

  /** Returns whether this is the identity of a witness, which votes and holds no data. */
  public static boolean ofWitness(String id) {
    return id.startsWith(WITNESS);
  }
}
