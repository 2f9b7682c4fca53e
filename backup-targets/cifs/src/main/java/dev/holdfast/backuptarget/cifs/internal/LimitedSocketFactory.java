package dev.holdfast.backuptarget.cifs.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import javax.net.SocketFactory;

/** Makes sockets whose connection is established within a time limit. */
final class LimitedSocketFactory extends SocketFactory {
  private final int limit;

  LimitedSocketFactory(Duration limit) {
    this.limit = (int) limit.toMillis();
  }

  private Socket connected(InetSocketAddress address) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(address, limit);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return connected(new InetSocketAddress(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return connected(new InetSocketAddress(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    return createSocket(host, port);
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    return createSocket(host, port);
  }
}
