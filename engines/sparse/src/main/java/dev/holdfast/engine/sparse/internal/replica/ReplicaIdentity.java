package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.layout.NameHash;
import java.util.UUID;

/**
 * Identity of a replica. A copy that was wiped and made again is another replica.
 *
 * @param id never used twice
 * @param volume whose bytes it holds
 * @param replica its name in the cluster
 */
public record ReplicaIdentity(String id, String volume, String replica) {
  private static final String WITNESS = "witness-";
  private static final String LINKED = "linked-";

  /** Returns a new identity for what is at a place. */
  static ReplicaIdentity create(ReplicaLocation location) {
    String id = UUID.randomUUID().toString();
    return new ReplicaIdentity(
        location.witness() ? WITNESS + id : id, location.volume(), location.replica());
  }

  /**
   * Returns a new identity for what is at a place and was not empty from its beginning.
   *
   * @param content names what it held, the same for all that held the same
   */
  static ReplicaIdentity linked(ReplicaLocation location, String content) {
    String id = LINKED + NameHash.of(content) + "-" + UUID.randomUUID();
    return new ReplicaIdentity(id, location.volume(), location.replica());
  }

  /** Returns whether the one of this identity held this content from its beginning. */
  boolean heldFirst(String content) {
    return firstContentOf(id).equals(NameHash.of(content));
  }

  /** Returns what the one of this identity held from its beginning, empty for nothing. */
  public static String firstContentOf(String id) {
    return id.startsWith(LINKED)
        ? id.substring(LINKED.length(), id.indexOf('-', LINKED.length()))
        : "";
  }

  /** Returns whether the one of this identity votes only, and keeps no data. */
  public static boolean ofWitness(String id) {
    return id.startsWith(WITNESS);
  }
}
