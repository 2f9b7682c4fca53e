package dev.holdfast.frontend.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * A relay between one client and the portal that holds back bytes in either direction. A test can
 * thus delay the rest of a partly received request or a partly sent reply. The connections of one
 * client share the permitted number of bytes.
 */
final class Relay implements AutoCloseable {
  private static final int RECEIVE_BUFFER = 16 << 10;

  private final ServerSocket listener;
  private final int target;
  private final List<Socket> sockets = new ArrayList<>();
  private final Valve towardsPortal = new Valve();
  private final Valve towardsClient = new Valve();

  /** Passes a limited number of bytes. */
  private static final class Valve {
    private long open = Long.MAX_VALUE;

    synchronized void openFor(long bytes) {
      open = bytes;
      notifyAll();
    }

    /** Waits until bytes may pass; returns their number, at least one. */
    synchronized int pass(int bytes) throws InterruptedException {
      while (open == 0) {
        wait();
      }
      int now = (int) Math.min(open, bytes);
      open -= open == Long.MAX_VALUE ? 0 : now;
      notifyAll();
      return now;
    }

    synchronized boolean shut() {
      return open == 0;
    }
  }

  private Relay(ServerSocket listener, int target) {
    this.listener = listener;
    this.target = target;
  }

  /** Starts a relay to a port on loopback, for one client. */
  static Relay to(int port) throws IOException {
    Relay relay = new Relay(new ServerSocket(0, 8, InetAddress.getLoopbackAddress()), port);
    start(relay::connectAll);
    return relay;
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Permits a number of bytes to the portal. */
  void sendOnly(int bytes) {
    towardsPortal.openFor(bytes);
  }

  /** Returns whether all bytes that {@link #sendOnly} permitted were forwarded. */
  boolean sent() {
    return towardsPortal.shut();
  }

  /** Permits a number of bytes to the client. */
  void answerOnly(int bytes) {
    towardsClient.openFor(bytes);
  }

  /** Permits all bytes. */
  void open() {
    towardsPortal.openFor(Long.MAX_VALUE);
    towardsClient.openFor(Long.MAX_VALUE);
  }

  private void connectAll() {
    try {
      while (true) {
        connect(listener.accept());
      }
    } catch (IOException e) {
      // The test closed the relay, or its client reports a failed connect.
    }
  }

  private void connect(Socket client) throws IOException {
    try {
      Socket portal = new Socket();
      portal.setReceiveBufferSize(RECEIVE_BUFFER);
      portal.connect(new java.net.InetSocketAddress(listener.getInetAddress(), target));
      client.setTcpNoDelay(true);
      portal.setTcpNoDelay(true);
      synchronized (this) {
        sockets.add(client);
        sockets.add(portal);
      }
      start(() -> pump(client, portal, towardsPortal));
      start(() -> pump(portal, client, towardsClient));
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  private static void pump(Socket from, Socket to, Valve valve) {
    byte[] buffer = new byte[4096];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        for (int done = 0; done < count; ) {
          int now = valve.pass(count - done);
          out.write(buffer, done, now);
          done += now;
        }
      }
    } catch (IOException e) {
      // One side has disconnected, so the other one is closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public synchronized void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
    open();
  }
}
