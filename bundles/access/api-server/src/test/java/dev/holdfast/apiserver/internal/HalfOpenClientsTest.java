package dev.holdfast.apiserver.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.metrics.BucketCounts;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.DoubleAdder;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that connect, send the first byte of a TLS handshake, and nothing more. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HalfOpenClientsTest {
  /** Longer than a test: nothing here is in order only because time passes. */
  private static final HttpLimits PATIENT = HttpLimits.DEFAULT.withHandshake(Duration.ofHours(1));

  private static final int HANDSHAKE = 0x16;

  @TempDir private Path directory;
  private final List<Socket> clients = new ArrayList<>();

  @AfterEach
  void disconnect() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
  }

  private Socket halfOpen(TestServer server, String from) throws IOException {
    Socket client = new Socket();
    clients.add(client);
    client.bind(new InetSocketAddress(from, 0));
    client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    try {
      client.getOutputStream().write(HANDSHAKE);
    } catch (IOException e) {
      client.close(); // the server was first
    }
    return client;
  }

  private static String answer(TestServer server, String path) throws Exception {
    try (SSLSocket client =
        (SSLSocket)
            server
                .clientTls()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port())) {
      client
          .getOutputStream()
          .write(("GET " + path + " HTTP/1.1\r\nConnection: close\r\n\r\n").getBytes(UTF_8));
      return new String(client.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private static boolean isClosedByServer(Socket client) {
    try {
      return client.isClosed() || client.getInputStream().read() < 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** Returns the value of the series of rejected connections. */
  private static double refused(TestServer server, String reason) throws Exception {
    DoubleAdder found = new DoubleAdder();
    server
        .metrics()
        .collect(
            new MetricSink() {
              @Override
              public void value(MetricDefinition definition, double value, String... labels) {
                if (definition.name().equals("holdfast_api_connections_refused_total")
                    && labels[0].equals(reason)) {
                  found.add(value);
                }
              }

              @Override
              public void histogram(
                  MetricDefinition definition, BucketCounts counts, String... labels) {}

              @Override
              public void info(MetricDefinition definition, String... labels) {}
            });
    return found.sum();
  }

  @Test
  void twoThousandOfThemLeaveTheServerReady() throws Exception {
    try (TestServer server = new TestServer(directory, PATIENT)) {
      for (int i = 0; i < 2000; i++) {
        halfOpen(server, "127.0.0.1");
      }

      assertThat(answer(server, "/livez")).startsWith("HTTP/1.1 200 OK").endsWith("ok");
      assertThat(answer(server, "/readyz")).startsWith("HTTP/1.1 200 OK").endsWith("ok");
    }
  }

  @Test
  void manyAddressesLeaveTheServerReady() throws Exception {
    try (TestServer server = new TestServer(directory, PATIENT)) {
      for (int i = 0; i < 600; i++) {
        halfOpen(server, "127.1." + i / 250 + "." + (1 + i % 250));
      }

      assertThat(answer(server, "/livez")).startsWith("HTTP/1.1 200 OK");
    }
  }

  @Test
  void oldestOfAnAddressAreClosedAboveSixteen() throws Exception {
    try (TestServer server = new TestServer(directory, PATIENT)) {
      for (int i = 0; i < 40; i++) {
        halfOpen(server, "127.0.0.1");
      }

      assertThat(clients.subList(0, 40 - 16)).allMatch(HalfOpenClientsTest::isClosedByServer);
      assertThat(refused(server, "half-open")).isEqualTo(40 - 16);
      assertThat(answer(server, "/livez")).startsWith("HTTP/1.1 200 OK");
    }
  }

  @Test
  void handshakeEndsAfterItsLimit() throws Exception {
    HttpLimits limits = HttpLimits.DEFAULT.withHandshake(Duration.ofMillis(100));
    try (TestServer server = new TestServer(directory, limits)) {
      assertThat(isClosedByServer(halfOpen(server, "127.0.0.1"))).isTrue();
    }
    assertThat(HttpLimits.DEFAULT.handshake()).isEqualTo(Duration.ofSeconds(10));
  }
}
