package dev.holdfast.engine.spdk.internal.nodes;

import dev.holdfast.engine.spdk.internal.replica.LegNode;
import dev.holdfast.engine.spdk.internal.replica.LegNodes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import io.grpc.Channel;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The other nodes of the cluster. Channels may come after the engine and go before it. */
public final class ClusterNodes implements LegNodes {
  private final AtomicReference<Optional<NodeChannels>> channels =
      new AtomicReference<>(Optional.empty());

  /** Channels came. Those that come later count. */
  public void arrived(NodeChannels present) {
    channels.set(Optional.of(present));
  }

  /** Channels went. */
  public void left(NodeChannels former) {
    channels.updateAndGet(present -> present.filter(one -> one != former));
  }

  @Override
  public LegNode node(String name) {
    return new RpcLegNode(name, () -> channel(name));
  }

  private Channel channel(String name) throws StorageException {
    return channels
        .get()
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNREACHABLE,
                    "node " + name + ": this node has no connections to others yet"))
        .channel(name);
  }
}
