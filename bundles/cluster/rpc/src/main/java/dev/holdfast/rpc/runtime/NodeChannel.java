package dev.holdfast.rpc.runtime;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** The channel to one node, which follows the node to another address. */
final class NodeChannel extends Channel {
  /** Supplies the address of the node for each call. */
  @FunctionalInterface
  interface Address {
    /** Returns the present address. */
    InetSocketAddress now() throws StorageException;
  }

  private static final int LARGEST_MESSAGE = 8 << 20;

  private final String node;
  private final Address address;
  private final NodeTls tls;
  private InetSocketAddress connectedTo;
  private ManagedChannel channel;
  private boolean closed;

  /**
   * Creates a channel without a connection.
   *
   * @param node name of the node that it must reach
   * @param address supplies the node's address
   * @param tls certificates of both sides
   */
  NodeChannel(String node, Address address, NodeTls tls) {
    this.node = node;
    this.address = address;
    this.tls = tls;
  }

  @Override
  public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
    try {
      return current(address.now()).newCall(method, options);
    } catch (StorageException e) {
      return new FailedCall<>(Status.UNAVAILABLE.withDescription(e.getMessage()).withCause(e));
    }
  }

  @Override
  public String authority() {
    return node;
  }

  private synchronized ManagedChannel current(InetSocketAddress now) throws StorageException {
    if (channel == null || !now.equals(connectedTo)) {
      if (channel != null) {
        channel.shutdown();
      }
      channel =
          NettyChannelBuilder.forAddress(now)
              .sslContext(NodeSsl.client(tls, node))
              .overrideAuthority(node)
              .maxInboundMessageSize(LARGEST_MESSAGE)
              .keepAliveTime(10, TimeUnit.SECONDS)
              .keepAliveTimeout(5, TimeUnit.SECONDS)
              .build();
      connectedTo = now;
      if (closed) {
        channel.shutdownNow();
      }
    }
    return channel;
  }

  /** Cancels running calls; later calls fail. */
  synchronized void shutdown() {
    closed = true;
    if (channel != null) {
      channel.shutdownNow();
    }
  }

  /** A call that could not start. */
  private static final class FailedCall<Q, A> extends ClientCall<Q, A> {
    private final Status status;

    FailedCall(Status status) {
      this.status = status;
    }

    @Override
    public void start(Listener<A> listener, Metadata headers) {
      listener.onClose(status, new Metadata());
    }

    @Override
    public void request(int messages) {
      // No message will arrive.
    }

    @Override
    public void cancel(String message, Throwable cause) {
      // It has ended.
    }

    @Override
    public void halfClose() {
      // It has ended.
    }

    @Override
    public void sendMessage(Q message) {
      // It has ended.
    }
  }
}
