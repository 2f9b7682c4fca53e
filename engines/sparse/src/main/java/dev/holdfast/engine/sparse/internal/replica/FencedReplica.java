package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.base.BaseIdentity;

/**
 * State that a replica reports when it is fenced.
 *
 * @param identity identity of the replica
 * @param history its past, as of just before it was fenced
 * @param boot of its host; what was not synced in another one may be lost
 * @param incarnation of the process that serves it, new at every start of that process
 * @param size of the volume that it holds, 0 for a witness
 * @param incomplete whether it is half of a copy that was never finished
 * @param chained whether there are snapshots or a base below its head
 * @param base the base that it stands on, as {@link BaseIdentity#text}; empty for none
 */
public record FencedReplica(
    ReplicaIdentity identity,
    ReplicaHistory history,
    String boot,
    String incarnation,
    long size,
    boolean incomplete,
    boolean chained,
    String base) {

  /** Returns whether nothing that was written to it can be missing. */
  public boolean intact() {
    return history.marked().isEmpty() || history.boot().equals(boot);
  }
}
