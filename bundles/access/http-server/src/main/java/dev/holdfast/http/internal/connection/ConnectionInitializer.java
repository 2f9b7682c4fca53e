package dev.holdfast.http.internal.connection;

import dev.holdfast.http.ServerTls;
import dev.holdfast.http.internal.exchange.ExchangeServices;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;

/**
 * Starts a connection with TLS, whose signatures are computed on separate threads. Never resolves
 * addresses to names.
 */
@Sharable
public final class ConnectionInitializer extends ChannelInitializer<SocketChannel> {
  private static final long CLOSE_NOTIFY_MILLIS = 1000;

  private final ServerTls tls;
  private final ExchangeServices services;

  /** Creates the initializer of a server's connections. */
  public ConnectionInitializer(ServerTls tls, ExchangeServices services) {
    this.tls = tls;
    this.services = services;
  }

  @Override
  protected void initChannel(SocketChannel channel) {
    HttpConnection connection = HttpConnection.of(channel);
    var unused = channel.closeFuture().addListener(closed -> connection.ended());
    if (connection.isAborted()) {
      connection.abort();
      return;
    }
    SSLEngine engine = tls.context().createSSLEngine();
    engine.setUseClientMode(false);
    engine.setWantClientAuth(tls.asksClients().getAsBoolean());
    engine.setHandshakeApplicationProtocolSelector(
        (current, offered) -> ProtocolChoice.select(offered));
    SslHandler handler = new SslHandler(engine, this::runTask);
    handler.setHandshakeTimeout(services.limits().handshake().toMillis(), TimeUnit.MILLISECONDS);
    handler.setCloseNotifyFlushTimeoutMillis(CLOSE_NOTIFY_MILLIS);
    channel.pipeline().addLast(handler, new ProtocolChoice(engine, services, connection));
  }

  private void runTask(Runnable task) {
    if (!services.threads().handshakes().submit(task)) {
      throw new RejectedExecutionException("no thread for a handshake");
    }
  }
}
