package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientRefusal.Reason;
import dev.holdfast.frontend.ClientSession;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which clients may use which exports. */
@Timeout(30)
final class ClientAccessTest {
  private final ListedClients clients = new ListedClients();
  private Optional<SocketPortal> portal = Optional.empty();

  @AfterEach
  void close() {
    portal.ifPresent(SocketPortal::close);
  }

  private URI show(String mode) throws StorageException {
    Map<String, String> properties =
        Map.of("holdfast.echo.port", "0", "holdfast.frontend.authentication", mode);
    SocketPortal started =
        new SocketPortal(new PortalSettings(name -> Optional.ofNullable(properties.get(name))));
    portal = Optional.of(started);
    started.arrived(new EchoFrontend());
    started.arrived(clients);
    URI endpoint = started.publish("echo", "a", new IdleBlockDevice()).endpoint();
    assertThat(started.publish("echo", "b", new IdleBlockDevice()).connections()).isZero();
    return endpoint;
  }

  private static Socket connect(URI endpoint) throws IOException {
    return new Socket(endpoint.getHost(), endpoint.getPort());
  }

  /** Returns the answer to a message, -1 when the portal closed the connection. */
  private static int say(Socket client, String message) throws IOException {
    send(client, message);
    return client.getInputStream().read();
  }

  private static void send(Socket client, String message) throws IOException {
    client.getOutputStream().write(message.length());
    client.getOutputStream().write(message.getBytes(StandardCharsets.US_ASCII));
  }

  private ClientRefusal refusal() throws InterruptedException {
    return clients.refusals.take();
  }

  @Test
  void clientWithoutCredentialIsRefusedWhereOneIsRequired() throws Exception {
    try (Socket client = connect(show("required"))) {
      assertThat(say(client, "a")).isEqualTo(-1);
      assertThat(refusal().reason()).isEqualTo(Reason.NO_CREDENTIAL);
    }
  }

  @Test
  void clientOfThisMachineNeedsNoneWhereThatIsSet() throws Exception {
    try (Socket client = connect(show("open-loopback"))) {
      assertThat(say(client, "a")).isEqualTo('a');
    }
  }

  @Test
  void nodeOfAnEarlierVersionStaysOpen() throws Exception {
    try (Socket client = connect(show(""))) {
      assertThat(say(client, "a")).isEqualTo('a');
    }
  }

  @Test
  void exportThatIsOpenToAllNeedsNoCredential() throws Exception {
    clients.open.add("a");
    URI endpoint = show("required");
    try (Socket client = connect(endpoint)) {
      assertThat(say(client, "a")).isEqualTo('a');
    }
    try (Socket client = connect(endpoint)) {
      assertThat(say(client, "b")).isEqualTo(-1);
    }
  }

  @Test
  void clientGetsItsExportsAndNoOthers() throws Exception {
    clients.add("one", false, "a");
    URI endpoint = show("required");
    try (Socket client = connect(endpoint)) {
      send(client, "id=one");
      assertThat(say(client, "a")).isEqualTo('a');
    }
    try (Socket client = connect(endpoint)) {
      send(client, "id=one");
      assertThat(say(client, "b")).isEqualTo(-1);
      ClientRefusal refused = refusal();
      assertThat(refused.reason()).isEqualTo(Reason.EXPORT);
      assertThat(refused.client()).isEqualTo("one");
      assertThat(refused.export()).isEqualTo("b");
    }
  }

  @Test
  void identityLimitsAClientWhereOthersMayAll() throws Exception {
    clients.add("one", false, "a");
    try (Socket client = connect(show("open"))) {
      send(client, "id=one");
      assertThat(say(client, "b")).isEqualTo(-1);
    }
  }

  @Test
  void removedClientLosesItsSession() throws Exception {
    clients.add("one", false, "a");
    try (Socket client = connect(show("required"))) {
      send(client, "id=one");
      assertThat(say(client, "a")).isEqualTo('a');
      clients.clients.clear();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      assertThat(refusal().reason()).isEqualTo(Reason.WITHDRAWN);
    }
  }

  @Test
  void useOfAnExportIsReportedWithItsClientWhenItBeginsAndEnds() throws Exception {
    clients.add("one", false, "a");
    try (Socket client = connect(show("required"))) {
      send(client, "id=one");
      assertThat(say(client, "a")).isEqualTo('a');
      assertThat(say(client, "x")).isEqualTo('x');
    }
    ClientSession ended = clients.ended.take();
    assertThat(ended.client()).isEqualTo("one");
    assertThat(ended.export()).isEqualTo("a");
    assertThat(ended.frontend()).isEqualTo("echo");
    assertThat(clients.began).containsExactly(ended);
    assertThat(clients.refusals).isEmpty();
  }

  @Test
  void refusedClientBeginsNoUse() throws Exception {
    try (Socket client = connect(show("required"))) {
      assertThat(say(client, "a")).isEqualTo(-1);
    }
    assertThat(refusal().reason()).isEqualTo(Reason.NO_CREDENTIAL);
    assertThat(clients.began).isEmpty();
  }

  @Test
  void sessionsStayWhileTheDirectoryIsNotReady() throws Exception {
    clients.add("one", false, "a");
    try (Socket client = connect(show("required"))) {
      send(client, "id=one");
      assertThat(say(client, "a")).isEqualTo('a');
      clients.ready = false;
      clients.clients.clear();
      clients.awaitCheck();
      assertThat(say(client, "x")).isEqualTo('x');
    }
  }

  @Test
  void wrongModeIsRefusedByName() {
    assertThatThrownBy(() -> show("closed"))
        .hasMessageContaining("holdfast.frontend.authentication is 'closed'")
        .isInstanceOfSatisfying(
            StorageException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID));
  }
}
