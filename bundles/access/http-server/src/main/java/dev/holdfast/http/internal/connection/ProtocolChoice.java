package dev.holdfast.http.internal.connection;

import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.internal.exchange.ExchangeHandler;
import dev.holdfast.http.internal.exchange.ExchangeServices;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for the end of the handshake, then installs the negotiated protocol. */
final class ProtocolChoice extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ProtocolChoice.class);
  private static final String HTTP_2 = "h2";
  private static final String HTTP_1_1 = "http/1.1";

  private final SSLEngine engine;
  private final ExchangeServices services;
  private final HttpConnection connection;

  ProtocolChoice(SSLEngine engine, ExchangeServices services, HttpConnection connection) {
    this.engine = engine;
    this.services = services;
    this.connection = connection;
  }

  /** Returns the protocol to use from the client's offers; empty if none is supported. */
  static String select(List<String> offered) {
    if (offered.contains(HTTP_2)) {
      return HTTP_2;
    }
    return offered.contains(HTTP_1_1) ? HTTP_1_1 : "";
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        connection.secured(certificates());
        begin(ctx);
      } else {
        LOG.debug("a handshake failed: {}", handshake.cause().getMessage());
        connection.refused(ConnectionRefusal.HANDSHAKE);
        var unused = ctx.close();
      }
    }
    ctx.fireUserEventTriggered(event);
  }

  private List<X509Certificate> certificates() {
    try {
      return Stream.of(engine.getSession().getPeerCertificates())
          .map(X509Certificate.class::cast)
          .toList();
    } catch (SSLPeerUnverifiedException e) {
      LOG.trace("a client showed no certificate", e);
      return List.of();
    }
  }

  private void begin(ChannelHandlerContext ctx) {
    ChannelPipeline pipeline = ctx.pipeline();
    if (HTTP_2.equals(engine.getApplicationProtocol())) {
      Http2Connection.install(ctx, services, connection);
    } else {
      install(ctx.channel(), pipeline);
    }
    pipeline.remove(this);
  }

  private void install(Channel channel, ChannelPipeline pipeline) {
    channel.config().setAutoRead(false);
    ExchangeHandler exchanges = new ExchangeHandler(services, connection, false);
    pipeline.addLast(
        new ArrivalHandler(exchanges),
        new StrictRequestDecoder(HttpLimits.REQUEST_LINE, HttpLimits.HEADERS),
        new HttpResponseEncoder(),
        new FlowControlHandler(),
        exchanges);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.debug("a client's connection failed before its first request", cause);
    var unused = ctx.close();
  }
}
