package dev.holdfast.nvme.host;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Forwards connections to a target until a test cuts them. */
final class CuttableLink implements AutoCloseable {
  private final InetSocketAddress target;
  private final ServerSocket listening;
  private final List<Socket> sockets = new ArrayList<>();

  CuttableLink(InetSocketAddress target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort());
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "link");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket near = listening.accept();
        Socket far = new Socket(target.getAddress(), target.getPort());
        synchronized (this) {
          sockets.add(near);
          sockets.add(far);
        }
        start(() -> pass(near, far));
        start(() -> pass(far, near));
      }
    } catch (IOException e) {
      cut();
    }
  }

  private void pass(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException e) {
      cut();
    }
  }

  /** Closes all connections. */
  synchronized void cut() {
    for (Socket socket : sockets) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new AssertionError("a socket does not close", e);
      }
    }
    sockets.clear();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    cut();
  }
}
