package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.http.HttpRefusal;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the requests of one HTTP/1.1 connection in sequence, or the request of an HTTP/2 stream.
 * Reads the channel only when data is needed. Runs on the event loop.
 */
public final class ExchangeHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ExchangeHandler.class);
  private static final Duration LINGER = Duration.ofSeconds(2);

  /** The next event that the server awaits. */
  private enum Awaited {
    NOTHING,
    REQUEST,
    HEAD,
    BODY,
    END
  }

  private final ExchangeServices services;
  private final ExchangePeer peer;
  private final boolean multiplexed;
  private Optional<ChannelHandlerContext> context = Optional.empty();
  private Optional<LoopDeadline> reading = Optional.empty();
  private Optional<LoopDeadline> writing = Optional.empty();
  private Optional<Exchange> current = Optional.empty();
  private Optional<HttpRequest> next = Optional.empty();
  private Awaited awaited = Awaited.NOTHING;
  private boolean readAsked;

  /**
   * Creates a handler for one channel.
   *
   * @param multiplexed whether the channel is a stream of HTTP/2
   */
  public ExchangeHandler(ExchangeServices services, ExchangePeer peer, boolean multiplexed) {
    this.services = services;
    this.peer = peer;
    this.multiplexed = multiplexed;
  }

  ExchangeServices services() {
    return services;
  }

  ExchangePeer peer() {
    return peer;
  }

  boolean isMultiplexed() {
    return multiplexed;
  }

  Channel channel() {
    return context.orElseThrow().channel();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = Optional.of(ctx);
    reading = Optional.of(new LoopDeadline(ctx.executor(), this::late));
    writing = Optional.of(new LoopDeadline(ctx.executor(), this::takesNothing));
    await(Awaited.REQUEST, services.limits().idle());
    readMore();
  }

  /** Handles the arrival of bytes, which may start a request. */
  public void bytesArrived() {
    if (awaited == Awaited.REQUEST) {
      await(Awaited.HEAD, services.limits().header());
    }
  }

  private void await(Awaited what, Duration limit) {
    awaited = what;
    reading.ifPresent(deadline -> deadline.within(limit));
  }

  void awaitBody() {
    await(Awaited.BODY, services.limits().body());
  }

  void awaitNothing() {
    awaited = Awaited.NOTHING;
    reading.ifPresent(LoopDeadline::clear);
  }

  private void late() {
    switch (awaited) {
      case NOTHING -> {}
      case REQUEST, END -> close();
      case HEAD -> {
        peer.refused(ConnectionRefusal.SLOW_HEADER);
        close();
      }
      case BODY ->
          current.ifPresentOrElse(
              exchange -> exchange.giveUp(ConnectionRefusal.SLOW_BODY), () -> close());
    }
  }

  private void close() {
    // Handlers are notified of the close; a failure to close does not affect them.
    var unused = channel().close();
  }

  private void takesNothing() {
    peer.refused(ConnectionRefusal.SLOW_READER);
    close();
  }

  void readMore() {
    // One message for each call, because data after an unanswered request must not arrive.
    if (!readAsked && context.isPresent()) {
      readAsked = true;
      context.get().read();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    readAsked = false;
    if (awaited == Awaited.END) {
      ReferenceCountUtil.release(message);
      readMore();
    } else if (message instanceof HttpRequest request && current.isPresent()) {
      // The next request waits until this one is answered; reading stops until then.
      next = Optional.of(request);
    } else if (message instanceof HttpRequest request) {
      begin(request);
    } else if (message instanceof HttpContent content) {
      take(content);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    // The bytes did not complete a message, but FlowControlHandler regards the read as satisfied.
    if (readAsked) {
      readAsked = false;
      readMore();
    }
    ctx.fireChannelReadComplete();
  }

  private void begin(HttpRequest request) {
    Exchange exchange = new Exchange(this, request, writing.orElseThrow());
    current = Optional.of(exchange);
    exchange.start();
    if (request instanceof HttpContent content) {
      take(content);
    } else if (exchange.wantsMore()) {
      readMore();
    }
  }

  private void take(HttpContent content) {
    try {
      if (current.isEmpty()) {
        return;
      }
      Exchange exchange = current.get();
      exchange.content(content);
      // Reads also after the end, to detect a disconnect of the client.
      if (exchange.wantsMore() || (exchange.hasRequestEnded() && next.isEmpty())) {
        readMore();
      }
    } finally {
      content.release();
    }
  }

  /** Handles the end of the request after its answer was sent. */
  void completed(boolean keepsAlive) {
    if (multiplexed) {
      current = Optional.empty();
      awaitNothing();
      return;
    }
    if (!keepsAlive) {
      close();
      return;
    }
    current = Optional.empty();
    await(Awaited.REQUEST, services.limits().idle());
    if (next.isPresent()) {
      HttpRequest waiting = next.get();
      next = Optional.empty();
      begin(waiting);
    }
  }

  /**
   * Ends the connection after an answer to an unfinished request. Further data of the client is
   * dropped for a short time, because an immediate close would lose the answer.
   */
  void linger() {
    if (multiplexed) {
      reset(Http2Error.NO_ERROR);
      return;
    }
    SslHandler tls = channel().pipeline().get(SslHandler.class);
    if (tls != null) {
      var unused = tls.closeOutbound();
    }
    await(Awaited.END, LINGER);
    readMore();
  }

  /** Ends the answer early, so that the client detects that it is incomplete. */
  void cut() {
    if (multiplexed) {
      reset(Http2Error.INTERNAL_ERROR);
    } else {
      close();
    }
  }

  private void reset(Http2Error error) {
    Channel stream = channel();
    var unused =
        stream.writeAndFlush(new DefaultHttp2ResetFrame(error)).addListener(done -> close());
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    end();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    end();
  }

  private void end() {
    reading.ifPresent(LoopDeadline::end);
    writing.ifPresent(LoopDeadline::end);
    current.ifPresent(Exchange::abort);
    current = Optional.empty();
    next.ifPresent(ReferenceCountUtil::release);
    next = Optional.empty();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.debug("a client's connection failed", cause);
    if (multiplexed && current.isEmpty()) {
      peer.refused(ConnectionRefusal.MALFORMED);
      reset(Http2Error.PROTOCOL_ERROR);
    } else if (multiplexed) {
      current.get().fail(new HttpRefusal(400, "the request is not one of HTTP/2"));
    } else {
      close();
    }
  }
}
