package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/** The layers of a replica at the other end of a {@link SimulatedLink}. */
final class SimulatedChain implements ReplicaChain {
  private final SimulatedLink link;

  SimulatedChain(SimulatedLink link) {
    this.link = link;
  }

  @Override
  public void perform(ChainOperation operation) throws StorageException {
    link.control(
        replica -> {
          replica.chain().perform(operation);
          return operation;
        });
  }

  @Override
  public List<SnapshotInfo> snapshots() throws StorageException {
    return link.control(replica -> replica.chain().snapshots());
  }

  @Override
  public boolean coalesce(Set<String> locked) throws StorageException {
    return link.control(replica -> replica.chain().coalesce(locked));
  }

  @Override
  public void read(String snapshot, long offset, ByteBuffer target) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate(target.remaining());
    link.control(
        replica -> {
          replica.chain().read(snapshot, offset, bytes);
          return bytes;
        });
    target.put(bytes.flip());
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    link.control(
        replica -> {
          replica.chain().changes(older, newer, visitor);
          return visitor;
        });
  }
}
