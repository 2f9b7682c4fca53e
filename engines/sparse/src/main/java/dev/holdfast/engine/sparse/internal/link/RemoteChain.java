package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/** The layers of a replica on another node, over whichever link exists at the time of a call. */
final class RemoteChain implements ReplicaChain {
  private final RemoteMember member;

  RemoteChain(RemoteMember member) {
    this.member = member;
  }

  @Override
  public void perform(ChainOperation operation) throws StorageException {
    member.control(
        link -> {
          link.chain().perform(operation);
          return operation;
        });
  }

  @Override
  public List<SnapshotInfo> snapshots() throws StorageException {
    return member.control(link -> link.chain().snapshots());
  }

  @Override
  public boolean coalesce(Set<String> locked) throws StorageException {
    return member.control(link -> link.chain().coalesce(locked));
  }

  @Override
  public void read(String snapshot, long offset, ByteBuffer target) throws StorageException {
    int start = target.position();
    member.control(
        link -> {
          link.chain().read(snapshot, offset, target.position(start));
          return target;
        });
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    // A node of an earlier release does not know the base's name, and its replicas have no base.
    boolean zeroes = older.equals(SnapshotInfo.BASE) && member.base().isEmpty();
    member.control(
        link -> {
          link.chain().changes(zeroes ? "" : older, newer, visitor);
          return visitor;
        });
  }
}
