package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;

/** A member with the state that its fence reported. */
public abstract class FencedMember implements Member {
  private final ReplicaLocation location;
  private final FencedReplica fenced;

  protected FencedMember(ReplicaLocation location, FencedReplica fenced) {
    this.location = location;
    this.fenced = fenced;
  }

  /** Returns its answer to the fence. */
  public final FencedReplica fenced() {
    return fenced;
  }

  @Override
  public final ReplicaLocation location() {
    return location;
  }

  @Override
  public final String id() {
    return fenced.identity().id();
  }

  @Override
  public final long size() {
    return fenced.size();
  }

  @Override
  public final ReplicaHistory history() {
    return fenced.history();
  }

  @Override
  public final boolean intact() {
    return fenced.intact();
  }

  @Override
  public final boolean incomplete() {
    return fenced.incomplete();
  }

  @Override
  public final String base() {
    return fenced.base();
  }
}
