package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.portal.internal.session.FrontendRank;
import dev.holdfast.portal.internal.transport.PortalLimits;
import dev.holdfast.portal.internal.transport.ReplacementLimits;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ServingBundle;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Assignment of connections to one of several bundles. The kit checks the transferred bytes. */
@Timeout(60)
final class FrontendReplacementTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private final CountingFrontend first = new CountingFrontend("one");
  private final CountingFrontend second = new CountingFrontend("two");
  private SocketPortal portal = portal(LONG);
  private Optional<PublishedExport> export = Optional.empty();

  @AfterEach
  void close() {
    first.release();
    second.release();
    portal.close();
  }

  /** A client that sends letters and reads lines. */
  private record Client(Socket socket, BufferedReader lines) implements AutoCloseable {
    String says(char letter) throws IOException {
      sends(letter);
      return lines.readLine();
    }

    void sends(char letter) throws IOException {
      socket.getOutputStream().write(letter);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void higherVersionTakesSessionsAndNewConnections() throws Exception {
    arrives(first, 1, "1.0.9", 0);
    try (Client old = connect()) {
      assertThat(old.says('a')).isEqualTo("one 1");
      arrives(second, 2, "1.0.10", 0);
      await(part -> served(part, 2) == 1);
      assertThat(old.says('b')).isEqualTo("two 2");
      try (Client fresh = connect()) {
        assertThat(fresh.says('a')).isEqualTo("two 1");
      }
      assertThat(part().lastPauses()).hasSize(1);
    }
  }

  @Test
  void lowerVersionGetsNoSessionUntilTheHigherIsRemoved() throws Exception {
    arrives(second, 2, "2.0.0", 0);
    try (Client client = connect()) {
      assertThat(client.says('a')).isEqualTo("two 1");
      arrives(first, 1, "1.0.0", 0);
      assertThat(client.says('b')).isEqualTo("two 2");
      portal.left(second);
      assertThat(client.says('c')).isEqualTo("one 3");
    }
  }

  @Test
  void rankingCountsBeforeVersion() throws Exception {
    arrives(second, 2, "2.0.0", 0);
    try (Client client = connect()) {
      assertThat(client.says('a')).isEqualTo("two 1");
      arrives(first, 1, "1.0.0", 1);
      await(part -> served(part, 1) == 1);
      assertThat(client.says('b')).isEqualTo("one 2");
    }
  }

  @Test
  void parkedSessionsAndNewConnectionsWaitForABundle() throws Exception {
    arrives(first, 1, "1.0.0", 0);
    try (Client client = connect()) {
      assertThat(client.says('a')).isEqualTo("one 1");
      portal.left(first);
      assertThat(part().parked()).isEqualTo(1);
      assertThat(part().bundles()).isEmpty();
      client.sends('b');
      try (Client fresh = connect()) {
        fresh.sends('a');
        arrives(second, 2, "1.0.0", 0);
        assertThat(client.lines().readLine()).isEqualTo("two 2");
        assertThat(fresh.lines().readLine()).isEqualTo("two 1");
      }
    }
  }

  @Test
  void connectionThatWaitsTooLongForABundleIsClosed() throws Exception {
    portal.close();
    portal = portal(Duration.ofMillis(1));
    arrives(first, 1, "1.0.0", 0);
    try (Client client = connect()) {
      assertThat(client.says('a')).isEqualTo("one 1");
      portal.left(first);
      assertThat(client.lines().readLine()).isNull();
    }
    while (!portal.parts().isEmpty()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void sessionThatLoopsHoldsUpNoOther() throws Exception {
    arrives(first, 1, "1.0.0", 0);
    try (Client looping = connect();
        Client other = connect()) {
      assertThat(looping.says('a')).isEqualTo("one 1");
      assertThat(other.says('a')).isEqualTo("one 1");
      looping.sends('l');
      first.awaitLoop();
      arrives(second, 2, "2.0.0", 0);
      await(part -> served(part, 2) == 1);
      assertThat(other.says('b')).isEqualTo("two 2");
      portal.left(first);
      assertThat(other.says('c')).isEqualTo("two 3");
      first.release();
      assertThat(looping.lines().readLine()).isEqualTo("one 2");
      assertThat(looping.says('b')).isEqualTo("two 3");
    }
  }

  @Test
  void sessionThatCannotBeStoppedClosesOnlyItsConnection() throws Exception {
    arrives(first, 1, "1.0.0", 0);
    try (Client failing = connect();
        Client other = connect()) {
      assertThat(failing.says('x')).isEqualTo("one 1");
      assertThat(other.says('a')).isEqualTo("one 1");
      arrives(second, 2, "2.0.0", 0);
      assertThat(failing.lines().readLine()).isNull();
      await(part -> served(part, 2) == 1);
      assertThat(other.says('b')).isEqualTo("two 2");
      assertThat(part().failures()).singleElement().extracting("bundle").isEqualTo(1L);
    }
  }

  @Test
  void anotherThreadRunsTheNextSession() throws Exception {
    arrives(first, 1, "1.0.0", 0);
    try (Client client = connect()) {
      assertThat(client.says('a')).isEqualTo("one 1");
      arrives(second, 2, "2.0.0", 0);
      await(part -> served(part, 2) == 1);
      assertThat(client.says('b')).isEqualTo("two 2");
      assertThat(client.says('c')).isEqualTo("two 3");
    }
    assertThat(second.threads()).hasSize(1).doesNotContainAnyElementsOf(first.threads());
  }

  @Test
  void frontendThatIsNotReplaceableKeepsItsConnectionsUntilItsRemoval() throws Exception {
    EchoFrontend plain = new EchoFrontend();
    arrives(plain, 1, "1.0.0", 0);
    publish();
    try (Socket echo = new Socket(InetAddress.getLoopbackAddress(), port())) {
      echo.getOutputStream().write(new byte[] {1, 'a'});
      assertThat(echo.getInputStream().read()).isEqualTo('a');
      arrives(second, 2, "2.0.0", 0);
      try (Client fresh = connect()) {
        assertThat(fresh.says('a')).isEqualTo("two 1");
      }
      echo.getOutputStream().write(new byte[] {1, 'b'});
      assertThat(echo.getInputStream().read()).isEqualTo('b');
      portal.left(plain);
      assertThat(echo.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void sessionsReturnWhenTheOtherVersionCannotResumeThem() throws Exception {
    arrives(first, 1, "1.0.0", 0);
    try (Client client = connect()) {
      assertThat(client.says('a')).isEqualTo("one 1");
      portal.left(first);
      arrives(new EchoFrontend(), 2, "2.0.0", 0);
      await(part -> !part.failures().isEmpty());
      assertThat(part().failures().get(0).subject()).isEqualTo("a");
      arrives(first, 3, "1.0.0", 0);
      assertThat(client.says('b')).isEqualTo("one 2");
    }
  }

  @Test
  void frontendOfAnotherBundleIsRefused() throws Exception {
    arrives(first, 1, "1.0.0", 0);
    try (Client client = connect()) {
      assertThat(client.says('a')).isEqualTo("one 1");
      portal.arrived(second, new FrontendRank(2, "other", "9.0.0", 9));
      assertThat(portal.troubles())
          .singleElement()
          .satisfies(
              trouble -> {
                assertThat(trouble.kind()).isEqualTo(BundleTrouble.Kind.DUPLICATE_NAME);
                assertThat(trouble.bundle()).isEqualTo(2);
                assertThat(trouble.message()).contains("frontend echo", "test 1.0.0 (bundle 1)");
              });
      try (Client fresh = connect()) {
        assertThat(fresh.says('a')).isEqualTo("one 1");
      }
      assertThat(client.says('b')).isEqualTo("one 2");
      portal.left(second);
      assertThat(portal.troubles()).isEmpty();
      assertThat(client.says('c')).isEqualTo("one 3");
    }
  }

  @Test
  void ownFrontendTakesSessionsFromAnotherBundle() throws Exception {
    arrives(second, 2, "9.0.0", 9);
    try (Client client = connect()) {
      assertThat(client.says('a')).isEqualTo("two 1");
      portal.arrived(first, new FrontendRank(1, "dev.holdfast.frontend.echo", "1.0.0", 0));
      assertThat(client.says('b')).isEqualTo("one 2");
      assertThat(portal.troubles()).extracting(BundleTrouble::bundle).containsExactly(2L);
    }
  }

  private static SocketPortal portal(Duration parked) {
    PortalLimits limits =
        new PortalLimits(
            64,
            64,
            4 << 20,
            64 << 20,
            LONG,
            LONG,
            Duration.ofMillis(200),
            new ReplacementLimits(Duration.ofSeconds(2), Duration.ofMillis(500), parked),
            LONG);
    return new SocketPortal(
        new PortalSettings(
            name -> name.equals("holdfast.echo.port") ? Optional.of("0") : Optional.empty()),
        limits);
  }

  private void arrives(FrontendProvider frontend, long bundle, String version, int ranking) {
    portal.arrived(frontend, new FrontendRank(bundle, "test", version, ranking));
  }

  private void publish() throws Exception {
    if (export.isEmpty()) {
      export = Optional.of(portal.publish("echo", "a", new IdleBlockDevice()));
    }
  }

  private int port() {
    return export.orElseThrow().endpoint().getPort();
  }

  private Client connect() throws Exception {
    publish();
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
    return new Client(
        socket,
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)));
  }

  private ReplaceablePart part() {
    return portal.parts().get(0);
  }

  private void await(Predicate<ReplaceablePart> state) {
    while (!state.test(part())) {
      Thread.onSpinWait();
    }
  }

  private static int served(ReplaceablePart part, long bundle) {
    return part.bundles().stream()
        .filter(serving -> serving.id() == bundle)
        .mapToInt(ServingBundle::served)
        .sum();
  }
}
