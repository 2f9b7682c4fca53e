package dev.holdfast.http.internal.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;

/** Admits connections in the order of their acceptance, before an event loop receives them. */
public final class AcceptHandler extends ChannelInboundHandlerAdapter {
  private final ConnectionAccounts accounts;

  /** Creates the handler of a listening channel's connections. */
  public AcceptHandler(ConnectionAccounts accounts) {
    this.accounts = accounts;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof SocketChannel channel) {
      // Without an address the client has already disconnected.
      if (channel.remoteAddress() == null
          || !accounts.admit(HttpConnection.of(channel, accounts))) {
        channel.unsafe().closeForcibly();
        return;
      }
    }
    ctx.fireChannelRead(message);
  }
}
