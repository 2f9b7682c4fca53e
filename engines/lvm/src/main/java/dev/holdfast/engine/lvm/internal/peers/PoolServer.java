package dev.holdfast.engine.lvm.internal.peers;

import dev.holdfast.engine.lvm.blobs.BlobCall;
import dev.holdfast.engine.lvm.rpc.AdvanceRequest;
import dev.holdfast.engine.lvm.rpc.Done;
import dev.holdfast.engine.lvm.rpc.PerformRequest;
import dev.holdfast.engine.lvm.rpc.PingRequest;
import dev.holdfast.engine.lvm.rpc.PoolNodesGrpc;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.stub.StreamObserver;

/** Serves the other nodes of shared volume groups. Thread-safe. */
public final class PoolServer extends PoolNodesGrpc.PoolNodesImplBase {
  private final Pools pools;

  /** The blob manager of this node. */
  public interface Pools {
    /** Makes the steps of this node about a pool. */
    void advance(String group, String pool) throws StorageException;

    /** Makes a call about a blob. */
    void perform(BlobCall call) throws StorageException;
  }

  /** Serves the calls of a blob manager. */
  public PoolServer(Pools pools) {
    this.pools = pools;
  }

  private interface Work {
    void run() throws StorageException;
  }

  private static void answer(StreamObserver<Done> observer, Work work) {
    try {
      work.run();
    } catch (StorageException e) {
      observer.onError(RpcErrors.toStatus(e));
      return;
    }
    observer.onNext(Done.getDefaultInstance());
    observer.onCompleted();
  }

  @Override
  public void ping(PingRequest request, StreamObserver<Done> observer) {
    answer(observer, () -> {});
  }

  @Override
  public void advance(AdvanceRequest request, StreamObserver<Done> observer) {
    answer(observer, () -> pools.advance(request.getGroup(), request.getPool()));
  }

  @Override
  public void perform(PerformRequest request, StreamObserver<Done> observer) {
    answer(observer, () -> pools.perform(CallMessages.read(request)));
  }
}
