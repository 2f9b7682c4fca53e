package dev.holdfast.frontend.nvmeof;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;

/**
 * The bytes between a host and a controller.
 *
 * @param in bytes from the controller
 * @param out bytes to the controller
 * @param end closes the connection
 */
record Wire(InputStream in, OutputStream out, Closeable end) {

  /** Creates a host's connections to a subsystem. */
  interface Dialer {
    Wire dial(URI endpoint, String host, String subsystem) throws IOException;
  }

  /** An unencrypted connection. */
  static Wire plain(URI endpoint) throws IOException {
    Socket socket = new Socket(endpoint.getHost(), endpoint.getPort());
    socket.setTcpNoDelay(true);
    return new Wire(socket.getInputStream(), socket.getOutputStream(), socket);
  }
}
