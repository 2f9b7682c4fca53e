package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.forward.VolumeLinks;
import dev.holdfast.engine.sparse.internal.replica.FencedReplica;
import dev.holdfast.engine.sparse.internal.replica.ReplicaMessages;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.internal.wire.DataConnection;
import dev.holdfast.engine.sparse.internal.wire.DataHandshake;
import dev.holdfast.engine.sparse.internal.wire.DataLoop;
import dev.holdfast.engine.sparse.internal.wire.DataSocket;
import dev.holdfast.engine.sparse.internal.wire.LayerConnection;
import dev.holdfast.engine.sparse.internal.wire.LinkData;
import dev.holdfast.engine.sparse.internal.wire.PlainDataSocket;
import dev.holdfast.engine.sparse.internal.wire.TlsDataSocket;
import dev.holdfast.engine.sparse.internal.wire.WireBuffers;
import dev.holdfast.engine.sparse.rpc.FenceReply;
import dev.holdfast.engine.sparse.rpc.FenceRequest;
import dev.holdfast.engine.sparse.rpc.JoinReply;
import dev.holdfast.engine.sparse.rpc.JoinRequest;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.VolumeForwardingGrpc;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Links to replicas and volumes on other nodes: gRPC calls for control, and a separate connection
 * for bytes, to the port and export that the other node returns.
 */
public final class NetworkLinks implements ReplicaLinks, VolumeLinks, AutoCloseable {
  private static final int SOCKET_BUFFER = 1 << 20;

  private final NodeChannels channels;
  private final ExecutorService executor;
  private final ScheduledExecutorService clock;
  private final DataLoop loop;
  private final WireBuffers buffers = new WireBuffers();

  /**
   * Starts without links.
   *
   * @throws IOException when the process has no free file descriptors
   */
  public NetworkLinks(NodeChannels channels) throws IOException {
    this.channels = channels;
    this.executor = Executors.newCachedThreadPool(NetworkLinks::daemon);
    this.clock = Executors.newSingleThreadScheduledExecutor(NetworkLinks::daemon);
    this.loop = new DataLoop();
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "replica-links");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public ReplicaSessionLink connect(
      ReplicaLocation location, Token token, Duration timeout, Listener listener)
      throws StorageException {
    String what = "replica " + location.replica() + " on node " + location.nodeId();
    ReplicaCalls calls =
        new ReplicaCalls(what, channels.channel(location.nodeId()), location, token, timeout);
    FenceReply reply =
        calls.fence(
            FenceRequest.newBuilder()
                .setLocation(ReplicaMessages.location(location))
                .setToken(ReplicaMessages.token(token))
                .build());
    FencedReplica fenced = ReplicaMessages.fenced(reply);
    LinkData data =
        location.witness()
            ? new WitnessData()
            : open(
                what,
                location.nodeId(),
                new Export(reply.getDataPort(), reply.getDataExport(), reply.getDataTls()),
                timeout,
                cause -> calls.stop(cause, () -> listener.lost(cause)));
    return new NetworkLink(
        fenced,
        calls,
        data,
        executor,
        (offer, whenClosed) -> layer(what, location.nodeId(), offer, timeout, whenClosed));
  }

  /** Address at which the bytes of a replica are served. */
  private record Export(int port, String name, boolean tls) {}

  @Override
  public Joined join(String volume, String node, Duration timeout, Consumer<StorageException> lost)
      throws StorageException {
    String what = "volume " + volume + " on node " + node;
    JoinReply reply;
    try {
      reply =
          VolumeForwardingGrpc.newBlockingStub(channels.channel(node))
              .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
              .join(JoinRequest.newBuilder().setVolume(volume).build());
    } catch (StatusRuntimeException e) {
      throw RpcErrors.fromStatus(what, e);
    }
    Export export = new Export(reply.getDataPort(), reply.getDataExport(), reply.getDataTls());
    return new Joined(
        open(what, node, export, timeout, lost), reply.getSize(), reply.getBlockSize());
  }

  private LinkData open(
      String what, String node, Export export, Duration timeout, Consumer<StorageException> lost)
      throws StorageException {
    return open(
        what,
        node,
        export,
        timeout,
        (channel, socket) -> {
          DataConnection data = new DataConnection(what, channel, socket, loop, buffers, lost);
          data.start();
          return data;
        });
  }

  private LayerConnection layer(
      String what, String node, LayerReply offer, Duration timeout, Runnable whenClosed)
      throws StorageException {
    Export export = new Export(offer.getDataPort(), offer.getDataExport(), offer.getDataTls());
    return open(
        what,
        node,
        export,
        timeout,
        (channel, socket) -> new LayerConnection(what, socket, clock, timeout, whenClosed));
  }

  /** Uses a socket whose handshake is complete. */
  @FunctionalInterface
  private interface Use<T> {
    T of(SocketChannel channel, DataSocket socket) throws IOException;
  }

  private <T> T open(String what, String node, Export export, Duration timeout, Use<T> use)
      throws StorageException {
    boolean done = false;
    ScheduledFuture<?> limit = null;
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open();
      SocketChannel late = channel;
      limit = clock.schedule(() -> sever(late), timeout.toMillis(), TimeUnit.MILLISECONDS);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      channel.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER);
      channel.connect(new InetSocketAddress(host(node), export.port()));
      DataSocket socket = handshake(what, node, channel, export);
      if (!limit.cancel(false)) {
        throw new IOException("the handshake took too long");
      }
      T used = use.of(channel, socket);
      done = true;
      return used;
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, what + ", port " + export.port() + ": " + e, e);
    } finally {
      if (!done) {
        sever(channel);
      }
      if (limit != null) {
        limit.cancel(false);
      }
    }
  }

  private InetAddress host(String node) throws StorageException {
    return channels.address(node).getAddress();
  }

  private DataSocket handshake(String what, String node, SocketChannel channel, Export export)
      throws IOException, StorageException {
    DataSocket socket = new PlainDataSocket(channel);
    DataHandshake handshake = new DataHandshake(what, socket);
    handshake.greet();
    if (export.tls()) {
      handshake.askForTls();
      TlsDataSocket secured = new TlsDataSocket(channel, channels.sslContext(node), buffers);
      secured.handshake();
      handshake.over(secured);
      socket = secured;
    } else if (!host(node).isLoopbackAddress()) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, what + " offers its bytes without TLS, which is for one host only");
    }
    handshake.go(export.name());
    return socket;
  }

  private static void sever(SocketChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // The socket is abandoned either way.
      }
    }
  }

  @Override
  public void close() {
    loop.close();
    clock.shutdownNow();
    executor.shutdown();
  }
}
