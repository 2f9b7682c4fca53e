package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.portal.internal.transport.PortalLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class SocketPortalTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(1);

  private final EchoFrontend frontend = new EchoFrontend();
  private Optional<SocketPortal> portal = Optional.empty();

  @AfterEach
  void close() {
    portal.ifPresent(SocketPortal::close);
  }

  @Test
  void refusesAFrontendThatWasNeverThere() throws Exception {
    try (SocketPortal empty = new SocketPortal(new PortalSettings(name -> Optional.empty()))) {
      assertThatThrownBy(() -> empty.publish("echo", "a", new IdleBlockDevice()))
          .isInstanceOfSatisfying(
              StorageException.class,
              failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED));
    }
  }

  @Test
  void usedPortIsReportedWithTheRemedy() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(taken.getLocalPort());
      start(Map.of("holdfast.echo.port", port), limits(8, LONG, LONG));
      assertThatThrownBy(() -> publish("a"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("127.0.0.1:" + port)
          .hasMessageContaining("holdfast.echo.port");
    }
  }

  @Test
  void wrongPortIsRefusedByName() {
    start(Map.of("holdfast.echo.port", "many"), limits(8, LONG, LONG));
    assertThatThrownBy(() -> publish("a"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("holdfast.echo.port")
        .hasMessageContaining("many");
  }

  @Test
  void connectionsAboveTheLimitAreTurnedAwayUntilOneEnds() throws Exception {
    start(Map.of(), limits(2, LONG, LONG));
    URI endpoint = publish("a").endpoint();
    try (Socket first = connect(endpoint);
        Socket second = connect(endpoint)) {
      greet(first, "a");
      greet(second, "a");
      try (Socket third = connect(endpoint)) {
        assertThat(third.getInputStream().read()).isEqualTo(-1);
      }
      first.shutdownOutput();
      assertThat(servedEventually(endpoint)).isTrue();
    }
  }

  @Test
  void clientThatNeverFinishesItsHandshakeIsClosed() throws Exception {
    start(Map.of(), limits(8, SHORT, LONG));
    try (Socket silent = connect(publish("a").endpoint())) {
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void silentClientsAreReportedTogether() throws Exception {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      start(Map.of(), limits(16, SHORT, LONG));
      URI endpoint = publish("a").endpoint();
      for (int i = 0; i < 8; i++) {
        try (Socket silent = connect(endpoint)) {
          assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
      }
    } finally {
      System.setErr(before);
    }
    assertThat(log.toString(StandardCharsets.UTF_8).lines())
        .filteredOn(line -> line.contains("handshake"))
        .hasSize(1);
  }

  @Test
  void idleClientAfterItsHandshakeIsKept() throws Exception {
    start(Map.of(), limits(8, Duration.ofSeconds(1), LONG));
    URI endpoint = publish("a").endpoint();
    try (Socket idle = greeted(endpoint);
        Socket silent = connect(endpoint)) {
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
      greet(idle, "still here");
    }
  }

  @Test
  void clientThatStopsInTheMiddleOfAMessageIsClosed() throws Exception {
    start(Map.of(), limits(8, LONG, SHORT));
    try (Socket slow = connect(publish("a").endpoint())) {
      greet(slow, "a");
      slow.getOutputStream().write(new byte[] {5, 'h'});
      assertThat(slow.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void clientThatReadsNoRepliesIsClosedAndItsBuffersComeBack() throws Exception {
    SocketPortal started = start(Map.of(), limits(8, LONG, SHORT));
    PublishedExport export = publish("a");
    try (Socket deaf = connect(export.endpoint())) {
      greet(deaf, "a");
      byte[] flood = {1, '>'};
      assertThatThrownBy(
              () -> {
                while (true) {
                  deaf.getOutputStream().write(flood);
                }
              })
          .isInstanceOf(IOException.class);
    }
    export.close();
    assertThat(started.bufferBytes()).isZero();
  }

  @Test
  void failingSessionClosesOnlyItsConnection() throws Exception {
    start(Map.of(), limits(8, LONG, LONG));
    URI endpoint = publish("a").endpoint();
    try (Socket failing = connect(endpoint);
        Socket other = connect(endpoint)) {
      greet(failing, "a");
      greet(other, "a");
      failing.getOutputStream().write(new byte[] {1, '!'});
      assertThat(failing.getInputStream().read()).isEqualTo(-1);
      greet(other, "fine");
    }
  }

  @Test
  void withdrawalFreesAClientThatReadsNoReplies() throws Exception {
    SocketPortal started = start(Map.of(), limits(8, LONG, LONG));
    PublishedExport export = publish("a");
    try (Socket deaf = connect(export.endpoint())) {
      greet(deaf, "a");
      Thread flood =
          new Thread(
              () -> {
                try {
                  while (true) {
                    deaf.getOutputStream().write(new byte[] {1, '>'});
                  }
                } catch (IOException e) {
                  // The withdrawal ended the connection.
                }
              });
      flood.start();
      export.close();
      flood.join();
    }
    assertThat(started.bufferBytes()).isZero();
  }

  @Test
  void exportCannotBePublishedWhileItsFrontendIsAway() throws Exception {
    SocketPortal started = start(Map.of(), limits(8, LONG, LONG));
    publish("a").close();
    started.left(frontend);
    assertThatThrownBy(() -> publish("b"))
        .isInstanceOfSatisfying(
            StorageException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.BUSY));
  }

  private SocketPortal start(Map<String, String> properties, PortalLimits limits) {
    SocketPortal started =
        new SocketPortal(
            new PortalSettings(
                name ->
                    Optional.ofNullable(
                        properties.getOrDefault(
                            name, name.equals("holdfast.echo.port") ? "0" : null))),
            limits);
    started.arrived(frontend);
    portal = Optional.of(started);
    return started;
  }

  private PublishedExport publish(String export) throws StorageException {
    return portal.orElseThrow().publish("echo", export, new IdleBlockDevice());
  }

  private static PortalLimits limits(int connections, Duration handshake, Duration stall) {
    return PortalLimits.of(
        connections, 64, 4 << 20, 64 << 20, handshake, stall, Duration.ofMillis(200));
  }

  private static Socket connect(URI endpoint) throws IOException {
    return new Socket(endpoint.getHost(), endpoint.getPort());
  }

  private static void greet(Socket socket, String message) throws IOException {
    byte[] text = message.getBytes(StandardCharsets.US_ASCII);
    socket.getOutputStream().write(text.length);
    socket.getOutputStream().write(text);
    assertThat(socket.getInputStream().readNBytes(text.length)).isEqualTo(text);
  }

  /** Connects a client that received the greeting in time, even on a slow machine. */
  private static Socket greeted(URI endpoint) throws IOException {
    while (true) {
      Socket socket = connect(endpoint);
      try {
        socket.getOutputStream().write(new byte[] {1, 'a'});
        if (socket.getInputStream().read() == 'a') {
          return socket;
        }
      } catch (IOException e) {
        // The portal closed the connection before the handshake.
      }
      socket.close();
    }
  }

  /** The portal notices the end of a connection some time after its client's close. */
  private static boolean servedEventually(URI endpoint) throws IOException {
    List<Socket> tried = new ArrayList<>();
    try {
      while (true) {
        Socket socket = connect(endpoint);
        tried.add(socket);
        try {
          socket.getOutputStream().write(new byte[] {1, 'a'});
          if (socket.getInputStream().read() == 'a') {
            return true;
          }
        } catch (IOException e) {
          // The portal rejected the connection again.
        }
      }
    } finally {
      for (Socket socket : tried) {
        socket.close();
      }
    }
  }
}
