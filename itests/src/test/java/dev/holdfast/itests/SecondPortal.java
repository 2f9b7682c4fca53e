package dev.holdfast.itests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

/** A second address of a port of a node that can be removed and restored, by a separate socat. */
final class SecondPortal implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final int target;
  private final int port;
  private Process relay;

  private SecondPortal(int target, int port) {
    this.target = target;
    this.port = port;
  }

  /** Opens another way to a port of this machine. */
  static SecondPortal to(int target) throws IOException {
    SecondPortal portal = new SecondPortal(target, free());
    portal.comeBack();
    return portal;
  }

  private static int free() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }

  int port() {
    return port;
  }

  /** Listens, and returns when it is so. */
  void comeBack() throws IOException {
    relay =
        new ProcessBuilder(
                "socat",
                "TCP-LISTEN:" + port + ",bind=127.0.0.1,reuseaddr,fork",
                "TCP:127.0.0.1:" + target)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Await.until("the other portal", LIMIT, this::listens);
  }

  private boolean listens() {
    try (Socket unused = new Socket()) {
      unused.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Breaks its connections, and refuses new ones. */
  void goAway() {
    relay.descendants().forEach(ProcessHandle::destroyForcibly);
    relay.destroyForcibly();
    try {
      relay.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("interrupted", e));
    }
  }

  @Override
  public void close() {
    goAway();
  }
}
