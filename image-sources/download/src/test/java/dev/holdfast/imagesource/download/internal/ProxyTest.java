package dev.holdfast.imagesource.download.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.AddressRule;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Downloads through an HTTP proxy of the test. */
class ProxyTest {
  private static final DownloadLimits SHORT =
      new DownloadLimits(Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(5));
  private static final AddressRule PUBLIC =
      address -> {
        if (!address.getHostAddress().startsWith("198.51.100.")) {
          throw new StorageException(ErrorCode.FORBIDDEN, address + " is not public");
        }
      };
  private static final String REDIRECT =
      "HTTP/1.1 302 Found\r\nLocation: http://metadata.example/secret\r\n\r\n";

  /** The proxy is on loopback; the names of two servers have addresses, all others have none. */
  private static InetAddress[] resolve(String host) throws UnknownHostException {
    return switch (host) {
      case "proxy.example" -> InetAddress.getAllByName("127.0.0.1");
      case "images.example" -> InetAddress.getAllByName("198.51.100.7");
      case "metadata.example" -> InetAddress.getAllByName("169.254.169.254");
      default -> throw new UnknownHostException(host);
    };
  }

  private static String download(String url, int port) throws StorageException {
    return download(url, port, (SSLSocketFactory) SSLSocketFactory.getDefault());
  }

  private static String download(String url, int port, SSLSocketFactory tls)
      throws StorageException {
    HttpDialer dialer =
        new HttpDialer(
            "test",
            PUBLIC,
            Optional.of(InetSocketAddress.createUnresolved("proxy.example", port)),
            ProxyTest::resolve,
            tls,
            SHORT);
    MemorySink sink = new MemorySink();
    try (DownloadTransfer transfer =
        new DownloadTransfer("test", DownloadUrl.parse("test", url), dialer)) {
      transfer.run(sink);
    }
    return new String(sink.bytes(), StandardCharsets.ISO_8859_1);
  }

  private static ScriptedServer proxy(String answer) throws Exception {
    return new ScriptedServer((request, out) -> ScriptedServer.write(out, answer));
  }

  @Test
  void proxyGetsTheWholeAddressOfAPlainDownload() throws Exception {
    String answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nimage";
    try (ScriptedServer proxy = proxy(answer)) {
      assertThat(download("http://images.example/a?b=c", proxy.port())).isEqualTo("image");
      // A name that this node does not know is left to the proxy.
      assertThat(download("http://elsewhere.example:81/a", proxy.port())).isEqualTo("image");
      assertThat(proxy.requests().get(0))
          .startsWith("GET http://images.example/a?b=c HTTP/1.1\n")
          .contains("Host: images.example\n");
      assertThat(proxy.requests().get(1)).startsWith("GET http://elsewhere.example:81/a ");
    }
  }

  @Test
  void secureDownloadIsTunnelledToTheServer(@TempDir Path folder) throws Exception {
    String answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nimage";
    try (TunnelledServer server = new TunnelledServer(folder, "images.example", answer)) {
      assertThat(download("https://images.example/a?b", server.port(), server.trusting()))
          .isEqualTo("image");
      assertThat(server.connect())
          .startsWith("CONNECT images.example:443 HTTP/1.1\r\n")
          .contains("Host: images.example:443\r\n");
      assertThat(server.request()).startsWith("GET /a?b HTTP/1.1\r\n");
    }
  }

  /** The proxy cannot be the server: its certificate must be that of the name. */
  @Test
  void serverOfAnotherNameIsRefusedBehindTheProxy(@TempDir Path folder) throws Exception {
    try (TunnelledServer server = new TunnelledServer(folder, "other.example", "")) {
      assertThatThrownBy(
              () -> download("https://images.example/a", server.port(), server.trusting()))
          .hasMessageContaining("images.example through the proxy");
    }
  }

  @Test
  void proxyThatRefusesTheTunnelIsNamed() throws Exception {
    try (ScriptedServer proxy = proxy("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")) {
      assertThatThrownBy(() -> download("https://images.example/a", proxy.port()))
          .hasMessageContaining("images.example through the proxy proxy.example")
          .hasMessageContaining("the proxy answers with status 407");
    }
  }

  @Test
  void addressesThatAreNotPublicAreRefusedBeforeTheProxyIsAsked() throws Exception {
    try (ScriptedServer proxy = proxy(REDIRECT)) {
      for (String url : new String[] {"http://metadata.example/", "https://metadata.example/"}) {
        assertThatThrownBy(() -> download(url, proxy.port())).hasMessageContaining("is not public");
      }
      assertThat(proxy.requests()).isEmpty();
      assertThatThrownBy(() -> download("http://images.example/a", proxy.port()))
          .hasMessageContaining("is not public");
      assertThat(proxy.requests()).hasSize(1);
    }
  }

  @Test
  void absentProxyIsNamed() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    assertThatThrownBy(() -> download("http://images.example/a", port))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
        .hasMessageContaining("through the proxy proxy.example:" + port);
  }
}
