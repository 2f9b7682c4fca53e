package dev.holdfast.engine.lvm.internal.peers;

import dev.holdfast.engine.lvm.blobs.BlobCall;
import dev.holdfast.engine.lvm.blobs.PoolPeers;
import dev.holdfast.engine.lvm.rpc.AdvanceRequest;
import dev.holdfast.engine.lvm.rpc.Done;
import dev.holdfast.engine.lvm.rpc.PingRequest;
import dev.holdfast.engine.lvm.rpc.PoolNodesGrpc;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The other nodes of shared volume groups, by gRPC with mutual TLS. Thread-safe. */
public final class RpcPeers implements PoolPeers {
  private final Channels channels;
  private final Duration ping;
  private final Duration timeout;

  /** Ways to the other nodes, which may be away for a time. */
  @FunctionalInterface
  public interface Channels {
    /**
     * Returns the channel to a node.
     *
     * @throws StorageException UNREACHABLE while this node cannot call others
     */
    Channel to(String node) throws StorageException;
  }

  /**
   * Reaches nodes by their channels.
   *
   * @param ping within which a node answers that can be reached
   * @param timeout of a call, in which commands of LVM run
   */
  public RpcPeers(Channels channels, Duration ping, Duration timeout) {
    this.channels = channels;
    this.ping = ping;
    this.timeout = timeout;
  }

  private interface Call {
    Done run(PoolNodesGrpc.PoolNodesBlockingStub stub);
  }

  private void call(String node, String what, Duration limit, Call call) throws StorageException {
    try {
      Done unused =
          call.run(
              PoolNodesGrpc.newBlockingStub(channels.to(node))
                  .withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (StatusRuntimeException e) {
      throw RpcErrors.fromStatus(what + " on node " + node, e);
    }
  }

  @Override
  public boolean isReachable(String node) {
    try {
      call(node, "ping", ping, stub -> stub.ping(PingRequest.getDefaultInstance()));
      return true;
    } catch (StorageException e) {
      return false;
    }
  }

  @Override
  public void advance(String node, String group, String pool) throws StorageException {
    AdvanceRequest request = AdvanceRequest.newBuilder().setGroup(group).setPool(pool).build();
    call(node, "pool " + group + "/" + pool, timeout, stub -> stub.advance(request));
  }

  @Override
  public void perform(String node, BlobCall call) throws StorageException {
    call(node, "blob " + call.blob(), timeout, stub -> stub.perform(CallMessages.write(call)));
  }
}
