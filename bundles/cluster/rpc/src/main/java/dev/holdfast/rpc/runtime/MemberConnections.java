package dev.holdfast.rpc.runtime;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of a server. Connections of removed members end within a second. Thread-safe. */
final class MemberConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemberConnections.class);
  private static final long PERIOD_MILLIS = 1000;
  private static final int LEAST_LOOPS = 2;

  private final NodeTls tls;
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();
  private final EventLoopGroup acceptor = loops(1);
  private final EventLoopGroup loops =
      loops(Math.max(LEAST_LOOPS, Runtime.getRuntime().availableProcessors()));

  /**
   * Starts without connections.
   *
   * @param tls checks which nodes are members
   */
  MemberConnections(NodeTls tls) {
    this.tls = tls;
    Future<?> unused =
        acceptor.scheduleWithFixedDelay(
            this::endRemoved, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static EventLoopGroup loops(int count) {
    ThreadFactory threads =
        task -> {
          Thread thread = new Thread(task, "node-rpc-io");
          thread.setDaemon(true);
          return thread;
        };
    return new MultiThreadIoEventLoopGroup(count, threads, NioIoHandler.newFactory());
  }

  /** Configures a server to use these connections. */
  NettyServerBuilder use(NettyServerBuilder server) {
    return server
        .bossEventLoopGroup(acceptor)
        .workerEventLoopGroup(loops)
        .channelFactory(Listening::new);
  }

  private void endRemoved() {
    for (Channel channel : open) {
      try {
        SslHandler handler = channel.pipeline().get(SslHandler.class);
        if (handler != null && handler.handshakeFuture().isSuccess()) {
          check(channel, handler);
        }
      } catch (RuntimeException e) {
        // After an exception the executor would not run the check again.
        LOG.debug("could not check the connection of {}", channel.remoteAddress(), e);
      }
    }
  }

  private void check(Channel channel, SslHandler handler) {
    try {
      String unused = tls.peerName(handler.engine().getSession().getPeerCertificates());
    } catch (StorageException | SSLPeerUnverifiedException e) {
      LOG.warn("ended the connection of {}: {}", channel.remoteAddress(), e.getMessage());
      // Closed below gRPC's handler, which would first wait 10 s for the client's GOAWAY.
      ChannelHandlerContext first = channel.pipeline().firstContext();
      if (first != null) {
        var unused = first.close();
      }
    }
  }

  /** Ends the threads; the server has already ended. */
  @Override
  public void close() {
    var unusedAcceptor = acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    var unusedLoops = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** Records the connections that it accepts. */
  private final class Listening extends NioServerSocketChannel {
    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int before = accepted.size();
      int count = super.doReadMessages(accepted);
      for (Object one : accepted.subList(before, accepted.size())) {
        Channel channel = (Channel) one;
        open.add(channel);
        var unused = channel.closeFuture().addListener(closed -> open.remove(channel));
      }
      return count;
    }
  }
}
