package dev.holdfast.http.internal.connection;

import dev.holdfast.http.internal.exchange.ExchangeHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Reports the arrival of bytes, because the time limit of a head starts with its first byte. */
final class ArrivalHandler extends ChannelInboundHandlerAdapter {
  private final ExchangeHandler exchanges;

  ArrivalHandler(ExchangeHandler exchanges) {
    this.exchanges = exchanges;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    exchanges.bytesArrived();
    ctx.fireChannelRead(message);
  }
}
