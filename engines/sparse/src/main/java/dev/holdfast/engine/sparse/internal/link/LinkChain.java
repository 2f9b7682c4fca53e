package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.replica.ExtentMessages;
import dev.holdfast.engine.sparse.internal.replica.ReplicaMessages;
import dev.holdfast.engine.sparse.rpc.ChangesRequest;
import dev.holdfast.engine.sparse.rpc.CoalesceRequest;
import dev.holdfast.engine.sparse.rpc.ExtentList;
import dev.holdfast.engine.sparse.rpc.ReadSnapshotRequest;
import dev.holdfast.engine.sparse.rpc.SessionRequest;
import dev.holdfast.engine.sparse.rpc.SnapshotEntry;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** The layers of a replica on another node, over one link. */
final class LinkChain implements ReplicaChain {
  private static final int MOST_READ = 1 << 20;

  private final ReplicaCalls calls;

  LinkChain(ReplicaCalls calls) {
    this.calls = calls;
  }

  @Override
  public void perform(ChainOperation operation) throws StorageException {
    calls.call(
        stub ->
            stub.perform(ReplicaMessages.operation(operation).setSession(calls.session()).build()));
  }

  @Override
  public List<SnapshotInfo> snapshots() throws StorageException {
    SessionRequest request = SessionRequest.newBuilder().setSession(calls.session()).build();
    List<SnapshotInfo> snapshots = new ArrayList<>();
    for (SnapshotEntry entry : calls.call(stub -> stub.snapshots(request)).getSnapshotsList()) {
      snapshots.add(ReplicaMessages.snapshot(entry));
    }
    return snapshots;
  }

  @Override
  public boolean coalesce(Set<String> locked) throws StorageException {
    CoalesceRequest request =
        CoalesceRequest.newBuilder().setSession(calls.session()).addAllLocked(locked).build();
    return calls.callLong(stub -> stub.coalesce(request)).getCoalesced();
  }

  @Override
  public void read(String snapshot, long offset, ByteBuffer target) throws StorageException {
    long from = offset;
    while (target.hasRemaining()) {
      int length = Math.min(MOST_READ, target.remaining());
      ReadSnapshotRequest request =
          ReadSnapshotRequest.newBuilder()
              .setSession(calls.session())
              .setSnapshot(snapshot)
              .setOffset(from)
              .setLength(length)
              .build();
      ByteBuffer data =
          calls.call(stub -> stub.readSnapshot(request)).getData().asReadOnlyByteBuffer();
      if (data.remaining() != length) {
        throw new StorageException(
            ErrorCode.IO, "snapshot " + snapshot + ": " + data.remaining() + " bytes came");
      }
      target.put(data);
      from += length;
    }
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    ChangesRequest request =
        ChangesRequest.newBuilder()
            .setSession(calls.session())
            .setOlder(older)
            .setNewer(newer)
            .build();
    calls.call(
        stub -> {
          visit(stub.changes(request), visitor);
          return Boolean.TRUE;
        });
  }

  /** Reports the extents of a stream to a visitor after the whole stream was received. */
  static void visit(Iterator<ExtentList> stream, ExtentVisitor visitor) throws StorageException {
    List<ExtentList> lists = new ArrayList<>();
    stream.forEachRemaining(lists::add);
    for (ExtentList list : lists) {
      if (!ExtentMessages.visit(list, visitor)) {
        return;
      }
    }
  }
}
