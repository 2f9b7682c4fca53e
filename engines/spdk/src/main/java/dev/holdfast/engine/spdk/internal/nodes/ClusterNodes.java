package dev.holdfast.engine.spdk.internal.nodes;

import dev.holdfast.engine.spdk.internal.replica.LegNode;
import dev.holdfast.engine.spdk.internal.replica.LegNodes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import io.grpc.Channel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The other nodes of the cluster. Channels may come after the engine and go before it. */
public final class ClusterNodes implements LegNodes {
  private static final Duration QUICK = Duration.ofSeconds(5);

  private final Duration quick;
  private final AtomicReference<Optional<NodeChannels>> channels =
      new AtomicReference<>(Optional.empty());

  /** Creates the nodes of a cluster whose nodes answer soon. */
  public ClusterNodes() {
    this(QUICK);
  }

  /**
   * Creates the nodes.
   *
   * @param quick longest time of calls that tell whether a node is reachable
   */
  ClusterNodes(Duration quick) {
    this.quick = quick;
  }

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
    return new RpcLegNode(name, () -> channel(name), quick);
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
