package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.base.BaseIdentity;

/**
 * State that a replica reports when it is fenced.
 *
 * @param identity identity of the replica
 * @param history its recorded history just before the fence
 * @param boot boot of its host; unsynced data of an earlier boot may be lost
 * @param incarnation identifier of the serving process, new at every start of that process
 * @param size size of its volume in bytes, 0 for a witness
 * @param incomplete whether it is the result of an unfinished copy
 * @param chained whether there are snapshots or a base below its head
 * @param base the base below its layers, as {@link BaseIdentity#text}; empty for none
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

  /** Returns whether all data that was written to it is certainly present. */
  public boolean intact() {
    return history.marked().isEmpty() || history.boot().equals(boot);
  }
}
