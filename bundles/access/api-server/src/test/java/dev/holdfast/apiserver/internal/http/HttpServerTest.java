package dev.holdfast.apiserver.internal.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.files.TlsDirectory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that arrive when the server cannot serve them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HttpServerTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  @TempDir private Path directory;
  private final AtomicBoolean exhausted = new AtomicBoolean();
  private SSLContext tls;

  @BeforeEach
  void makeCertificate() throws Exception {
    tls = TlsDirectory.prepare(directory, List.of("localhost"), Clock.systemUTC()).serverContext();
  }

  private HttpServer start() throws IOException {
    return HttpServer.start(
        new InetSocketAddress(LOOPBACK, 0), tls, exchange -> {}, HttpLimits.DEFAULT, this::thread);
  }

  private Thread thread(Runnable task) {
    if (exhausted.get()) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  private static Socket client(HttpServer server) throws IOException {
    Socket client = new Socket(LOOPBACK, server.port());
    client.setSoTimeout(20_000);
    return client;
  }

  @Test
  void clientWithoutAThreadIsClosedAndTheNextIsServed() throws Exception {
    try (HttpServer server = start()) {
      exhausted.set(true);
      for (int i = 0; i < 2; i++) {
        try (Socket client = client(server)) {
          assertThat(client.getInputStream().read()).isNegative();
        }
      }
      exhausted.set(false);

      try (Socket client = client(server)) {
        // No TLS: the server says so, which takes a thread.
        client.getOutputStream().write("GET /".getBytes(StandardCharsets.US_ASCII));
        assertThat(client.getInputStream().read()).isEqualTo(0x15);
      }
    }
  }

  @Test
  void clientThatArrivesWhenTheServerClosesIsClosed() throws Exception {
    try (ServerSocketChannel other = ServerSocketChannel.open()) {
      other.bind(new InetSocketAddress(LOOPBACK, 0));
      try (Socket client = new Socket(LOOPBACK, other.socket().getLocalPort());
          SocketChannel accepted = other.accept()) {
        HttpServer server = start();
        server.close();

        assertThatThrownBy(() -> server.admit(accepted))
            .isInstanceOf(RejectedExecutionException.class);

        assertThat(accepted.isOpen()).isFalse();
        assertThat(client.isConnected()).isTrue();
      }
    }
  }
}
