package dev.holdfast.portal.internal.listen;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;

/** Opens the listening socket of a frontend. */
final class ListenerSocket {
  private static final int BACKLOG = 128;

  private ListenerSocket() {}

  /**
   * Opens a frontend's socket.
   *
   * @throws StorageException IO when the socket cannot be opened, INVALID when an option is wrong
   */
  static ServerSocketChannel open(FrontendProvider frontend, ListenerSettings settings)
      throws StorageException {
    int port = settings.port(frontend);
    try {
      return bound(new InetSocketAddress(settings.address(), port));
    } catch (IOException | RuntimeException e) {
      throw new StorageException(
          ErrorCode.IO,
          "frontend "
              + frontend.name()
              + " cannot listen on "
              + settings.address()
              + ":"
              + port
              + ": "
              + e.getMessage()
              + "; set "
              + frontend.portProperty()
              + " to a free port, or to 0 for any",
          e);
    }
  }

  private static ServerSocketChannel bound(InetSocketAddress address) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    try {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(address, BACKLOG);
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }
}
