package dev.holdfast.http.internal.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;

/**
 * Decides about connections in the order in which they were accepted, before an event loop has
 * them.
 */
public final class AcceptHandler extends ChannelInboundHandlerAdapter {
  private final ConnectionAccounts accounts;

  /** Makes what a listening channel passes its connections through. */
  public AcceptHandler(ConnectionAccounts accounts) {
    this.accounts = accounts;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof SocketChannel channel) {
      // Without an address the client has gone already.
      if (channel.remoteAddress() == null
          || !accounts.admit(HttpConnection.of(channel, accounts))) {
        channel.unsafe().closeForcibly();
        return;
      }
    }
    ctx.fireChannelRead(message);
  }
}
