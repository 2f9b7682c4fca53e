package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.portal.TlsClient.Offer;
import dev.holdfast.portal.internal.transport.PortalLimits;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.bouncycastle.tls.PRFAlgorithm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that begin with TLS with a pre-shared key of the frontend. */
@Timeout(60)
final class PresharedKeyTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(1);
  private static final String WRONG = "another key of thirty-two bytes!";

  private final KeyedEchoFrontend frontend = new KeyedEchoFrontend(true);
  private Optional<SocketPortal> portal = Optional.empty();

  @AfterEach
  void close() {
    portal.ifPresent(SocketPortal::close);
  }

  private URI start(KeyedEchoFrontend serving, String mode, Duration handshake)
      throws StorageException {
    Map<String, String> properties = Map.of("holdfast.echo.port", "0", "holdfast.echo.tls", mode);
    SocketPortal started =
        new SocketPortal(
            new PortalSettings(name -> Optional.ofNullable(properties.get(name))),
            PortalLimits.of(8, 64, 4 << 20, 64 << 20, handshake, LONG, Duration.ofMillis(200)));
    started.arrived(serving);
    portal = Optional.of(started);
    return started.publish("echo", "a", new IdleBlockDevice()).endpoint();
  }

  private URI required() throws StorageException {
    return start(frontend, "require", LONG);
  }

  @Test
  void clientWithItsKeyIsServedAndIdentifiedToTheSession() throws Exception {
    try (TlsClient client = new TlsClient(required(), Offer.known())) {
      assertThat(client.echo("a")).isEqualTo("a");
      assertThat(client.echo("secret")).isEqualTo("secret");
    }
    assertThat(frontend.proven).containsExactly(Optional.of("known"));
  }

  @Test
  void keyForTheLongerHashIsServedToo() throws Exception {
    Offer longer = new Offer("longer", KeyedEchoFrontend.KEY, PRFAlgorithm.tls13_hkdf_sha384);
    try (TlsClient client = new TlsClient(required(), longer)) {
      assertThat(client.echo("a")).isEqualTo("a");
    }
  }

  @Test
  void knownKeyIsChosenFromSeveralKeys() throws Exception {
    Offer unknown = new Offer("unknown", WRONG, PRFAlgorithm.tls13_hkdf_sha256);
    try (TlsClient client = new TlsClient(required(), unknown, Offer.known())) {
      assertThat(client.echo("a")).isEqualTo("a");
    }
    assertThat(frontend.proven).containsExactly(Optional.of("known"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"unknown", "broken", "known"})
  void unknownIdentitiesAndWrongKeysAreRefused(String identity) throws Exception {
    URI endpoint = required();
    Offer wrong = new Offer(identity, WRONG, PRFAlgorithm.tls13_hkdf_sha256);
    assertThatThrownBy(() -> new TlsClient(endpoint, wrong)).isInstanceOf(IOException.class);
    assertThat(frontend.proven).isEmpty();
  }

  @Test
  void clientWithoutAKeyIsRefused() throws Exception {
    URI endpoint = required();
    assertThatThrownBy(() -> new TlsClient(endpoint)).isInstanceOf(IOException.class);
    assertThat(frontend.proven).isEmpty();
  }

  @Test
  void dataIsTransferredBothWaysWhileKeysChange() throws Exception {
    try (TlsClient client = new TlsClient(required(), Offer.known())) {
      assertThat(client.echo("a")).isEqualTo("a");
      for (int i = 0; i < 8; i++) {
        client.send(">");
        client.changeKeys();
        client.send("end");
        assertThat(client.receive(1 << 20)).hasSize(1 << 20);
        assertThat(client.receive(3)).isEqualTo("end".getBytes(StandardCharsets.US_ASCII));
      }
    }
  }

  @Test
  void clientInClearIsServedOnlyWhereTlsIsOffered() throws Exception {
    try (Socket plain = connect(start(frontend, "offer", LONG))) {
      plain.getOutputStream().write(new byte[] {1, 'a'});
      assertThat(plain.getInputStream().read()).isEqualTo('a');
    }
    close();
    try (Socket plain = connect(required())) {
      assertThat(closedAfter(plain, new byte[] {1, 'a'})).isTrue();
    }
    assertThat(frontend.proven).containsExactly(Optional.empty());
  }

  @Test
  void tlsIsNotUnderstoodWhereItIsOff() throws Exception {
    URI endpoint = start(frontend, "off", LONG);
    try (Socket plain = connect(endpoint)) {
      plain.getOutputStream().write(new byte[] {1, 'a'});
      assertThat(plain.getInputStream().read()).isEqualTo('a');
    }
    assertThatThrownBy(() -> new TlsClient(endpoint, Offer.known()))
        .isInstanceOf(IOException.class);
  }

  @Test
  void noExportIsPublishedWhenTlsIsRequiredWithoutKeys() {
    assertThatThrownBy(() -> start(new KeyedEchoFrontend(false), "require", LONG))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("holdfast.echo.tls");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1603010100010000"})
  void clientThatNeverFinishesItsHandshakeIsClosed(String sent) throws Exception {
    try (Socket silent = connect(start(frontend, "require", SHORT))) {
      assertThat(closedAfter(silent, HexFormat.of().parseHex(sent))).isTrue();
    }
    assertThat(frontend.proven).isEmpty();
  }

  @Test
  void inputThatIsNotTlsAfterAllIsRefused() throws Exception {
    try (Socket strange = connect(required())) {
      assertThat(closedAfter(strange, new byte[600])).isTrue();
    }
    byte[] nonsense = new byte[600];
    nonsense[0] = 0x16;
    try (Socket strange = connect(portalEndpoint())) {
      assertThat(closedAfter(strange, nonsense)).isTrue();
    }
  }

  private URI portalEndpoint() throws StorageException {
    return portal.orElseThrow().publish("echo", "b", new IdleBlockDevice()).endpoint();
  }

  private static Socket connect(URI endpoint) throws IOException {
    return new Socket(endpoint.getHost(), endpoint.getPort());
  }

  /** Returns whether the connection ends without an unencrypted reply; an alert may come before. */
  private static boolean closedAfter(Socket socket, byte[] sent) {
    try {
      socket.getOutputStream().write(sent);
      byte[] rest = socket.getInputStream().readAllBytes();
      return rest.length == 0 || rest[0] == 0x15;
    } catch (IOException e) {
      return true;
    }
  }
}
