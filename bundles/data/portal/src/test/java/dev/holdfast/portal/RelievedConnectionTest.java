package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoThread;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection whose thread hangs in a device at the end of a turn. */
@Timeout(30)
final class RelievedConnectionTest {
  private final CompletableFuture<IoThread> hanging = new CompletableFuture<>();
  private final CompletableFuture<Boolean> covered = new CompletableFuture<>();
  private final CountDownLatch disk = new CountDownLatch(1);
  private final AtomicInteger others = new AtomicInteger();
  private volatile long ticket;
  private Optional<SocketPortal> portal = Optional.empty();

  @AfterEach
  void close() {
    disk.countDown();
    portal.ifPresent(SocketPortal::close);
  }

  /** Echoes; a message with a letter h hangs at the end of its run, before another action. */
  private final class HangingFrontend implements FrontendProvider {
    private final EchoFrontend echo = new EchoFrontend();

    @Override
    public String name() {
      return echo.name();
    }

    @Override
    public int defaultPort() {
      return echo.defaultPort();
    }

    @Override
    public URI endpoint(String host, int port, String export) {
      return echo.endpoint(host, port, export);
    }

    @Override
    public FrontendSession open(FrontendConnection connection) {
      FrontendSession session = echo.open(connection);
      return new FrontendSession() {
        @Override
        public int received(ByteBuffer input) {
          boolean hangs =
              StandardCharsets.US_ASCII.decode(input.duplicate()).toString().contains("h");
          int needed = session.received(input);
          if (hangs) {
            assertThat(IoThread.defer(RelievedConnectionTest.this::hang)).isTrue();
            assertThat(IoThread.defer(others::incrementAndGet)).isTrue();
          }
          return needed;
        }

        @Override
        public void stop(Runnable stopped) {
          session.stop(stopped);
        }
      };
    }
  }

  private void hang() {
    IoThread self = IoThread.relievable().orElseThrow();
    ticket = self.expose();
    hanging.complete(self);
    try {
      disk.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    covered.complete(self.cover(ticket));
  }

  private static void echoed(Socket socket, String message) throws Exception {
    assertThat(
            new String(
                socket.getInputStream().readNBytes(message.length()), StandardCharsets.US_ASCII))
        .isEqualTo(message);
  }

  private static void send(Socket socket, String message) throws Exception {
    byte[] text = message.getBytes(StandardCharsets.US_ASCII);
    socket.getOutputStream().write(text.length);
    socket.getOutputStream().write(text);
  }

  @Test
  void clientIsServedWhileTheFirstThreadHangs() throws Exception {
    SocketPortal started =
        new SocketPortal(
            new PortalSettings(
                name -> Optional.ofNullable(Map.of("holdfast.echo.port", "0").get(name))));
    portal = Optional.of(started);
    started.arrived(new HangingFrontend());
    URI endpoint = started.publish("echo", "a", new IdleBlockDevice()).endpoint();
    try (Socket socket = new Socket(endpoint.getHost(), endpoint.getPort())) {
      send(socket, "a");
      echoed(socket, "a");
      send(socket, "h");
      assertThat(hanging.get().relieve(ticket)).isTrue();
      echoed(socket, "h");
      assertThat(others).as("actions after the one that hangs").hasValue(1);
      send(socket, "b");
      echoed(socket, "b");
      disk.countDown();
      assertThat(covered.get()).as("the first thread still serves").isFalse();
      hanging.get().join();
      send(socket, "c");
      echoed(socket, "c");
      assertThat(others).hasValue(1);
    }
  }
}
