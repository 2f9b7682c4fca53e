package dev.holdfast.http.netty;

import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.http.HttpLane;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpRouter;
import dev.holdfast.http.ServerTls;
import dev.holdfast.http.internal.connection.AcceptHandler;
import dev.holdfast.http.internal.connection.ConnectionAccounts;
import dev.holdfast.http.internal.connection.ConnectionInitializer;
import dev.holdfast.http.internal.exchange.ExchangeServices;
import dev.holdfast.http.internal.work.LargeBodies;
import dev.holdfast.http.internal.work.ServerThreads;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * An HTTPS server: HTTP/2 and HTTP/1.1, as the client chooses. Two event loops process TLS, frames
 * and limits; requests are handled on the threads of their {@link HttpLane}. A stalled client does
 * not occupy a thread. Thread-safe.
 */
public final class NettyHttpServer implements AutoCloseable {
  private static final int LOOPS = 2;
  private static final int BACKLOG = 1024;
  private static final long STOP_MILLIS = 2000;

  private final EventLoopGroup loops;
  private final ServerThreads threads;
  private final ConnectionAccounts accounts;
  private final ChannelGroup open;
  private final Channel listening;

  private NettyHttpServer(
      EventLoopGroup loops,
      ServerThreads threads,
      ConnectionAccounts accounts,
      ChannelGroup open,
      Channel listening) {
    this.loops = loops;
    this.threads = threads;
    this.accounts = accounts;
    this.open = open;
    this.listening = listening;
  }

  /**
   * Starts a server.
   *
   * @param address to listen at, not null; port 0 for any
   * @param tls of the server, not null
   * @param router decides about requests, not null
   * @param limits of clients, not null
   * @return the server, never null; close it when done
   * @throws java.net.BindException when the address is in use
   * @throws IOException when the server cannot listen for another reason
   */
  public static NettyHttpServer start(
      InetSocketAddress address, ServerTls tls, HttpRouter router, HttpLimits limits)
      throws IOException {
    ServerThreads threads = new ServerThreads();
    ConnectionAccounts accounts = new ConnectionAccounts(limits.connections());
    ExchangeServices services =
        new ExchangeServices(
            router,
            limits,
            threads,
            new LargeBodies(HttpLane.REQUESTS.threads()),
            new Semaphore(limits.pieces()));
    ConnectionInitializer connections = new ConnectionInitializer(tls, services);
    ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(
            LOOPS, new DefaultThreadFactory("holdfast-http", true), NioIoHandler.newFactory());
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .handler(new AcceptHandler(accounts))
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    open.add(channel);
                    channel.pipeline().addLast(connections);
                  }
                });
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      stop(loops, threads);
      if (bound.cause() instanceof IOException cause) {
        throw cause;
      }
      throw new IOException("could not listen at " + address, bound.cause());
    }
    return new NettyHttpServer(loops, threads, accounts, open, bound.channel());
  }

  /** Returns the port that it listens on. */
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** Returns the number of refused clients since the start by reason; never null. */
  public Map<ConnectionRefusal, Long> refusals() {
    return accounts.refusals();
  }

  /** Returns the number of open connections. */
  public int connections() {
    return accounts.open();
  }

  /** Closes all connections and stops. Requests in progress end without an answer. */
  @Override
  public void close() {
    listening.close().awaitUninterruptibly(STOP_MILLIS);
    open.close().awaitUninterruptibly(STOP_MILLIS);
    stop(loops, threads);
  }

  private static void stop(EventLoopGroup loops, ServerThreads threads) {
    loops
        .shutdownGracefully(0, STOP_MILLIS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(STOP_MILLIS);
    threads.close();
  }
}
