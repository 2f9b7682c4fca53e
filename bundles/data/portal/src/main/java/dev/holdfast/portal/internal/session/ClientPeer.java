package dev.holdfast.portal.internal.session;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;

/**
 * The client's end of a connection.
 *
 * @param name address of the client, for messages
 * @param local whether it uses the UNIX socket, which only the node's account can connect to
 * @param sameHost whether it is a program of this machine
 */
public record ClientPeer(String name, boolean local, boolean sameHost) {

  /** Returns the peer of a connection. */
  public static ClientPeer of(SocketChannel channel) throws IOException {
    if (channel.getLocalAddress() instanceof UnixDomainSocketAddress) {
      return new ClientPeer("a local client", true, true);
    }
    return new ClientPeer(String.valueOf(channel.getRemoteAddress()), false, isSameHost(channel));
  }

  /** A connection from an address of this machine to itself has that address at both ends. */
  private static boolean isSameHost(SocketChannel channel) throws IOException {
    return channel.getRemoteAddress() instanceof InetSocketAddress remote
        && channel.getLocalAddress() instanceof InetSocketAddress own
        && (remote.getAddress().isLoopbackAddress()
            || remote.getAddress().equals(own.getAddress()));
  }
}
