package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/** The layers of a replica on this node, whose disk may hang. */
final class TimedChain implements ReplicaChain {
  private final TimedMember member;
  private final ReplicaChain chain;

  TimedChain(TimedMember member, ReplicaChain chain) {
    this.member = member;
    this.chain = chain;
  }

  @Override
  public void perform(ChainOperation operation) throws StorageException {
    member.longStep(() -> chain.perform(operation));
  }

  @Override
  public List<SnapshotInfo> snapshots() throws StorageException {
    return member.longCall(chain::snapshots);
  }

  @Override
  public boolean coalesce(Set<String> locked) throws StorageException {
    return member.unlimitedCall(() -> chain.coalesce(locked));
  }

  @Override
  public void read(String snapshot, long offset, ByteBuffer target) throws StorageException {
    // A hanging call must not write into a buffer that another request may use by then.
    ByteBuffer own = ByteBuffer.allocate(target.remaining());
    member.longStep(() -> chain.read(snapshot, offset, own));
    target.put(own.flip());
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    member.unlimitedCall(
        () -> {
          chain.changes(older, newer, visitor);
          return visitor;
        });
  }
}
