package dev.holdfast.share.nfs.internal.address;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostCondition;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A TCP client at the neighbour while the server on this host is away and comes back. */
@Tag("slow")
@Timeout(60)
class ReconnectTest {
  private static final String SERVER = "198.51.100.7";
  private static final String CLIENT = "198.51.100.9";

  /** Prints one word: the outcome of the attempt or of the connection. */
  private static final String CONNECT =
      "use IO::Socket::INET; use Errno;"
          + " my $s = IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => $ARGV[1])"
          + " or do { print $!{ECONNREFUSED} ? 'refused' : $!; exit };"
          + " my $n = sysread($s, my $b, 1);"
          + " print defined $n ? ($n ? 'data' : 'end') : $!{ECONNRESET} ? 'reset' : $!;";

  private Cable cable;
  private Process client;

  @BeforeEach
  void connect() throws Exception {
    cable = new Cable();
    String unused =
        Cable.ip("address", "add", SERVER + "/24", "dev", Cable.HERE)
            + Cable.neighbour("ip", "address", "add", CLIENT + "/24", "dev", Cable.THERE);
  }

  @AfterEach
  void disconnect() throws Exception {
    if (client != null) {
      client.destroyForcibly().waitFor();
    }
    cable.close();
  }

  private ServerSocket listen(int port) throws Exception {
    ServerSocket server = new ServerSocket();
    server.setReuseAddress(true);
    server.bind(new InetSocketAddress(SERVER, port));
    return server;
  }

  private int freePort() throws Exception {
    try (ServerSocket server = listen(0)) {
      return server.getLocalPort();
    }
  }

  private void startClient(int port) throws Exception {
    client = Cable.start("perl", "-e", CONNECT, SERVER, Integer.toString(port));
  }

  private String outcome() throws Exception {
    String printed = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(client.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return printed;
  }

  private static void awaitState(String state) throws Exception {
    assertThat(
            HostCondition.holds(
                Cable.SHORT,
                () -> !Cable.neighbour("ss", "-Htn", "state", state, "dst", SERVER).isEmpty()))
        .as("a connection in state " + state)
        .isTrue();
  }

  private static List<String> rules() throws Exception {
    return Cable.ip("rule", "list").lines().filter(rule -> rule.contains(SERVER)).toList();
  }

  @Test
  void clientOfASilentPortConnectsWhenTheServerListens() throws Exception {
    int port = freePort();
    PortSilence silence = new PortSilence(new LocalHost(), SERVER, port);
    silence.begin();
    silence.begin();
    assertThat(rules()).hasSize(1);
    startClient(port);
    awaitState("syn-sent");
    assertThat(ListeningPort.isOpen(SERVER, port)).isFalse();
    try (ServerSocket server = listen(port)) {
      assertThat(ListeningPort.isOpen(SERVER, port)).isTrue();
      assertThat(ListeningPort.isOpen(CLIENT, port)).isFalse();
      silence.end();
      silence.end();
      assertThat(rules()).isEmpty();
      try (Socket connection = server.accept()) {
        connection.getOutputStream().write('x');
        assertThat(outcome()).isEqualTo("data");
      }
    }
  }

  @Test
  void clientOfAClosedPortIsRefusedWithoutSilence() throws Exception {
    startClient(freePort());
    assertThat(outcome()).isEqualTo("refused");
  }

  @Test
  void tickleEndsTheConnectionOfAFormerServerAndNoOther() throws Exception {
    int port = freePort();
    PortSilence silence = new PortSilence(new LocalHost(), SERVER, port);
    List<NfsConnection> former;
    try (ServerSocket server = listen(port)) {
      startClient(port);
      Socket lost = server.accept();
      former = new HostAddresses(new LocalHost()).connections(SERVER, port);
      assertThat(former).singleElement().extracting(NfsConnection::ip).isEqualTo(CLIENT);
      new Tickle(SERVER, port).send(former);
      silence.begin();
      lost.setSoLinger(true, 0); // the kernel forgets the connection, and its reset is dropped
      lost.close();
    }
    awaitState("established");
    try (ServerSocket server = listen(port)) {
      assertThat(server.isBound()).isTrue();
      silence.end();
      // A client answers only once to two wrong packets within 500 ms.
      boolean ended =
          HostCondition.holds(
              Cable.SHORT,
              () -> {
                new Tickle(SERVER, port).send(former);
                return !client.isAlive();
              });
      assertThat(ended).as("the client's connection has ended").isTrue();
      assertThat(outcome()).isEqualTo("reset");
    }
  }
}
