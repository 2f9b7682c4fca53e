package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.Reply;
import dev.holdfast.portal.internal.transport.PortalLimits;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Actions of a session without input, from threads that are not its connection's. */
@Timeout(30)
final class UnaskedOutputTest {
  private final BlockingQueue<FrontendConnection> opened = new LinkedBlockingQueue<>();
  private final BlockingQueue<Object> stopped = new LinkedBlockingQueue<>();
  private SocketPortal portal;
  private URI endpoint;

  @BeforeEach
  void start() throws Exception {
    PortalLimits limits =
        PortalLimits.of(
            8,
            2,
            1 << 20,
            16 << 20,
            Duration.ofSeconds(1),
            Duration.ofMinutes(5),
            Duration.ofMillis(100));
    portal =
        new SocketPortal(
            new PortalSettings(
                name -> name.endsWith(".port") ? Optional.of("0") : Optional.empty()),
            limits);
    portal.arrived(new Talker());
    endpoint = portal.publish("talker", "a", new IdleBlockDevice()).endpoint();
  }

  @AfterEach
  void close() {
    portal.close();
  }

  @Test
  void messageFromAnotherThreadReachesAClientThatIsSilent() throws Exception {
    try (Socket client = new Socket(endpoint.getHost(), endpoint.getPort())) {
      Reply message = opened.take().message(16).orElseThrow();
      message.buffer().put("event".getBytes(StandardCharsets.US_ASCII));
      message.send();
      assertThat(client.getInputStream().readNBytes(5)).asString().isEqualTo("event");
    }
  }

  @Test
  void messagesAreRefusedBeyondTheLimitInsteadOfWaitingForTheClient() throws Exception {
    try (Socket client = new Socket(endpoint.getHost(), endpoint.getPort())) {
      FrontendConnection connection = opened.take();
      Reply first = connection.message(16).orElseThrow();
      Reply second = connection.message(16).orElseThrow();
      assertThat(connection.message(16)).isEmpty();
      first.discard();
      second.discard();
      assertThat(connection.message(16)).hasValueSatisfying(Reply::discard);
      assertThat(client.isConnected()).isTrue();
    }
  }

  @Test
  void disconnectEndsAConnectionWhoseThreadWaitsForInput() throws Exception {
    try (Socket client = new Socket(endpoint.getHost(), endpoint.getPort())) {
      FrontendConnection connection = opened.take();
      Reply last = connection.message(16).orElseThrow();
      last.buffer().put((byte) '!');
      last.send();
      connection.disconnect();
      connection.disconnect();
      assertThat(client.getInputStream().read()).isEqualTo('!');
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      assertThat(stopped.take()).isNotNull();
      assertThat(connection.message(16)).isEmpty();
    }
  }

  @Test
  void establishedConnectionOutlivesTheTimeForHandshakes() throws Exception {
    try (Socket discovering = new Socket(endpoint.getHost(), endpoint.getPort());
        Socket silent = new Socket(endpoint.getHost(), endpoint.getPort())) {
      FrontendConnection first = opened.take();
      FrontendConnection second = opened.take();
      FrontendConnection established =
          first.peer().endsWith(":" + discovering.getLocalPort()) ? first : second;
      established.established();
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
      assertThat(established.message(16)).hasValueSatisfying(Reply::discard);
    }
  }

  @Test
  void catalogueContainsThePublishedEndpoint() throws Exception {
    try (Socket client = new Socket(endpoint.getHost(), endpoint.getPort())) {
      FrontendConnection connection = opened.take();
      assertThat(connection.export().exports().endpoint("a")).contains(endpoint);
      assertThat(connection.export().exports().endpoint("b")).isEmpty();
      assertThat(client.isConnected()).isTrue();
    }
  }

  private final class Talker implements FrontendProvider {
    @Override
    public String name() {
      return "talker";
    }

    @Override
    public int defaultPort() {
      return 7;
    }

    @Override
    public URI endpoint(String host, int port, String export) {
      return URI.create("talker://" + host + ":" + port + "/" + export);
    }

    @Override
    public FrontendSession open(FrontendConnection connection) {
      opened.add(connection);
      return new FrontendSession() {
        @Override
        public int received(ByteBuffer input) {
          input.position(input.limit());
          return 0;
        }

        @Override
        public void stop(Runnable whenStopped) {
          whenStopped.run();
          stopped.add(this);
        }
      };
    }
  }
}
