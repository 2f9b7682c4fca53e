package dev.holdfast.http.internal.connection;

import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.internal.exchange.ExchangeHandler;
import dev.holdfast.http.internal.exchange.ExchangeServices;
import dev.holdfast.http.internal.exchange.LoopDeadline;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2PingFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A connection of HTTP/2: each stream is a channel with one request. It ends after too long without
 * a stream, and after too many frames without a request.
 */
final class Http2Connection extends ChannelInboundHandlerAdapter {
  private static final int FLOOD = 200;
  private static final int FLOOD_SECONDS = 30;
  private static final int EMPTY_FRAMES = 16;
  private static final long GRACE_MILLIS = 500;
  private static final int WINDOW = 128 << 10;

  private final HttpConnection connection;
  private long windowEnd = System.nanoTime();
  private int frames;

  private Http2Connection(HttpConnection connection) {
    this.connection = connection;
  }

  /** Continues a connection with HTTP/2. */
  static void install(
      ChannelHandlerContext ctx, ExchangeServices services, HttpConnection connection) {
    Http2FrameCodec codec = codec();
    endWhenIdle(ctx, codec, services.limits().idle());
    ctx.pipeline()
        .addLast(
            codec,
            new Http2MultiplexHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel stream) {
                    begin(stream, services, connection);
                  }
                }),
            new Http2Connection(connection));
  }

  private static Http2FrameCodec codec() {
    return Http2FrameCodecBuilder.forServer()
        .initialSettings(
            Http2Settings.defaultSettings()
                .maxConcurrentStreams(HttpLimits.STREAMS_OF_CONNECTION)
                .initialWindowSize(WINDOW)
                .maxHeaderListSize(HttpLimits.HEADERS))
        .decoderEnforceMaxRstFramesPerWindow(FLOOD, FLOOD_SECONDS)
        .encoderEnforceMaxRstFramesPerWindow(FLOOD, FLOOD_SECONDS)
        .decoderEnforceMaxConsecutiveEmptyDataFrames(EMPTY_FRAMES)
        .gracefulShutdownTimeoutMillis(GRACE_MILLIS)
        .build();
  }

  /** Ends the connection after this time without a stream. */
  private static void endWhenIdle(
      ChannelHandlerContext ctx, Http2FrameCodec codec, Duration limit) {
    LoopDeadline idle =
        new LoopDeadline(
            ctx.executor(),
            () -> {
              var sent =
                  ctx.channel().writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR));
              sent.addListener(ChannelFutureListener.CLOSE);
            });
    idle.within(limit);
    var unused = ctx.channel().closeFuture().addListener(closed -> idle.end());
    codec
        .connection()
        .addListener(
            new Http2ConnectionAdapter() {
              @Override
              public void onStreamActive(Http2Stream stream) {
                idle.clear();
              }

              @Override
              public void onStreamClosed(Http2Stream stream) {
                if (codec.connection().numActiveStreams() == 0) {
                  idle.within(limit);
                }
              }
            });
  }

  private static void begin(Channel stream, ExchangeServices services, HttpConnection connection) {
    stream.config().setAutoRead(false);
    stream
        .pipeline()
        .addLast(
            new Http2StreamFrameToHttpObjectCodec(true),
            new FlowControlHandler(),
            new ExchangeHandler(services, connection, true));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object frame) {
    if (frame instanceof Http2PingFrame || frame instanceof Http2SettingsFrame) {
      count(ctx);
    }
    ReferenceCountUtil.release(frame);
  }

  private void count(ChannelHandlerContext ctx) {
    long now = System.nanoTime();
    if (now - windowEnd > 0) {
      windowEnd = now + TimeUnit.SECONDS.toNanos(FLOOD_SECONDS);
      frames = 0;
    }
    if (++frames == FLOOD) {
      connection.refused(ConnectionRefusal.FRAME_FLOOD);
      var unused =
          ctx.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.ENHANCE_YOUR_CALM))
              .addListener(sent -> connection.abort());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    connection.refused(ConnectionRefusal.MALFORMED);
    var unused = ctx.close();
  }
}
