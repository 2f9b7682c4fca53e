package dev.holdfast.http.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/** Clients that send bytes as they are. */
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 20_000;

  private final int port;
  private final SSLContext tls;
  private final List<Socket> open = new ArrayList<>();

  RawClient(int port, SSLContext tls) {
    this.port = port;
    this.tls = tls;
  }

  /** Connects without TLS and sends the first byte of a handshake. */
  Socket halfOpen() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    open.add(socket);
    socket.getOutputStream().write(0x16);
    return socket;
  }

  /** Connects without TLS from one of the loopback addresses, and sends nothing. */
  Socket silent(String source) throws IOException {
    Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(source), 0);
    open.add(socket);
    return socket;
  }

  /** Begins TLS on a connection, and returns what the server sends to a request until it closes. */
  String ask(Socket connected, String text) throws IOException {
    Socket socket =
        tls.getSocketFactory()
            .createSocket(connected, connected.getInetAddress().getHostAddress(), port, true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    socket.getOutputStream().flush();
    return rest(socket);
  }

  Socket send(String text) throws IOException {
    Socket socket = tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
    open.add(socket);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    socket.getOutputStream().flush();
    return socket;
  }

  /** Returns what the server sends until it closes the connection. */
  String ask(String text) throws IOException {
    return rest(send(text));
  }

  static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }
}
