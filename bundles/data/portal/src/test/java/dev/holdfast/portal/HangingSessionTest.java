package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.portal.internal.session.FrontendRank;
import dev.holdfast.portal.internal.transport.PortalLimits;
import dev.holdfast.portal.internal.transport.ReplacementLimits;
import dev.holdfast.upgrade.BundleTrouble;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Frontends whose code loops or throws: the fault is reported, and others continue. */
@Timeout(60)
final class HangingSessionTest {
  private static final Duration NEVER = Duration.ofMinutes(5);
  private static final FrontendRank BUNDLE = new FrontendRank(7, "test.counting", "1.2.3", 0);

  private final CountingFrontend frontend = new CountingFrontend("one");
  private final SocketPortal portal =
      new SocketPortal(
          new PortalSettings(
              name -> name.equals("holdfast.echo.port") ? Optional.of("0") : Optional.empty()),
          new PortalLimits(
              64,
              64,
              4 << 20,
              64 << 20,
              NEVER,
              NEVER,
              Duration.ofMillis(100),
              ReplacementLimits.standard(),
              Duration.ofMillis(500)));
  private PublishedExport export;

  @BeforeEach
  void publish() throws Exception {
    portal.arrived(frontend, BUNDLE);
    export = portal.publish("echo", "a", new IdleBlockDevice());
  }

  @AfterEach
  void close() {
    frontend.release();
    portal.close();
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), export.endpoint().getPort());
  }

  private static String says(Socket client, char letter) throws IOException {
    client.getOutputStream().write(letter);
    return new BufferedReader(
            new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))
        .readLine();
  }

  /** On a slow machine, sessions that are only slow are reported too, for a short time. */
  private static boolean isTheLoop(BundleTrouble trouble) {
    return trouble.kind() == BundleTrouble.Kind.HANGS
        && trouble.message().contains("CountingFrontend");
  }

  private static boolean isAFailure(BundleTrouble trouble) {
    return trouble.kind() == BundleTrouble.Kind.FAILS;
  }

  private BundleTrouble await(Predicate<BundleTrouble> wanted) {
    while (true) {
      Optional<BundleTrouble> found = portal.troubles().stream().filter(wanted).findFirst();
      if (found.isPresent()) {
        return found.get();
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void endlessLoopIsReportedAndBlocksNeitherOtherSessionsNorTheEndOfItsExport() throws Exception {
    try (Socket looping = connect();
        Socket other = connect()) {
      assertThat(says(looping, 'a')).isEqualTo("one 1");
      assertThat(says(other, 'a')).isEqualTo("one 1");
      looping.getOutputStream().write('l');
      BundleTrouble told = await(HangingSessionTest::isTheLoop);
      assertThat(told.bundle()).isEqualTo(7);
      assertThat(told.name()).isEqualTo("test.counting 1.2.3");
      assertThat(told.volume()).isEqualTo("a");
      assertThat(says(other, 'b')).isEqualTo("one 2");

      export.close();

      assertThat(looping.getInputStream().read()).isEqualTo(-1);
      assertThat(other.getInputStream().read()).isEqualTo(-1);
    }
    frontend.release();
    while (!portal.troubles().isEmpty()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void hangInCodeThatAFrontendCallsIsReportedForItsBundle() throws Exception {
    FrontendRank engine = new FrontendRank(9, "test.engine", "3.0.0", 0);
    portal.codeIsFoundBy(
        name -> name.contains("CountingFrontend") ? Optional.of(engine) : Optional.empty());
    try (Socket looping = connect()) {
      assertThat(says(looping, 'a')).isEqualTo("one 1");
      looping.getOutputStream().write('l');
      assertThat(await(HangingSessionTest::isTheLoop).bundle()).isEqualTo(9);
    }
  }

  @Test
  void sessionsThatThrowRepeatedlyAreReported() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(portal.troubles()).noneMatch(HangingSessionTest::isAFailure);
      try (Socket client = connect()) {
        assertThat(says(client, 'a')).isEqualTo("one 1");
        assertThat(says(client, 't')).isNull();
      }
    }
    BundleTrouble told = await(HangingSessionTest::isAFailure);
    assertThat(List.of(told.bundle(), told.volume())).isEqualTo(List.of(7L, "a"));
    assertThat(told.message()).contains("the test wants it", "CountingFrontend");
  }
}
