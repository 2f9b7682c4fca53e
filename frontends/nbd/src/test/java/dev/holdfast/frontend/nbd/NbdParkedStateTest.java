package dev.holdfast.frontend.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.frontend.nbd.internal.NbdFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.util.Arrays;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Names and values of the state that a session leaves: later versions must read them. */
final class NbdParkedStateTest {
  private static final Map<String, String> HANDSHAKE =
      Map.of(
          "phase", "handshake",
          "style", "structured",
          "flags-received", "true",
          "no-zeroes", "true",
          "ended", "false",
          "allocation-of", "fuzzed");

  private final ScriptedNbdConnection connection =
      new ScriptedNbdConnection("fuzzed", new MemoryBlockDevice(1 << 20), TlsPolicy.OFFERED);

  @Test
  void stateOfTheFirstVersionIsRead() throws Exception {
    SessionState handshake = new SessionState("nbd", 1, 1, HANDSHAKE);
    assertThat(stateOf(new NbdFrontend().resume(connection, handshake))).isEqualTo(handshake);

    assertThat(connection.export().attach("fuzzed")).isPresent();
    SessionState transmission =
        new SessionState(
            "nbd",
            1,
            1,
            Map.of(
                "phase", "transmission",
                "style", "extended",
                "allocation", "true",
                "skip", "77",
                "ended", "false"));
    assertThat(stateOf(new NbdFrontend().resume(connection, transmission))).isEqualTo(transmission);
  }

  @Test
  void unknownPhaseStyleFormatOrVersionIsRefused() {
    assertRefused(new SessionState("iscsi", 1, 1, HANDSHAKE));
    assertRefused(new SessionState("nbd", 2, 2, HANDSHAKE));
    assertRefused(new SessionState("nbd", 2, 1, Map.of("phase", "dreaming", "style", "simple")));
    assertRefused(new SessionState("nbd", 2, 1, Map.of("phase", "handshake", "style", "sung")));
  }

  @Property(tries = 300)
  void handshakeIsTheSameWhereverItIsParked(
      @ForAll @IntRange(max = 2) int style, @ForAll @IntRange(max = 400) int place) {
    byte[] stream = Streams.intoTransmission(style);
    int cut = Math.min(place, stream.length);
    ScriptedNbdConnection whole = script();
    FrontendSession undisturbed = new NbdFrontend().open(whole);
    whole.feed(undisturbed, stream, stream.length);

    ScriptedNbdConnection parted = script();
    FrontendSession session = new NbdFrontend().open(parted);
    int left = parted.feed(session, Arrays.copyOf(stream, cut), Math.max(1, cut));
    FrontendSession next = resumed(parted, stateOf(session));
    int unused =
        parted.feed(next, Arrays.copyOfRange(stream, cut - left, stream.length), stream.length);

    assertThat(parted.sent()).isEqualTo(whole.sent());
    assertThat(stateOf(next)).isEqualTo(stateOf(undisturbed));
  }

  private static ScriptedNbdConnection script() {
    return new ScriptedNbdConnection("fuzzed", new MemoryBlockDevice(1 << 20), TlsPolicy.OFF);
  }

  private static FrontendSession resumed(ScriptedNbdConnection connection, SessionState state) {
    try {
      return new NbdFrontend().resume(connection, state);
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  private void assertRefused(SessionState state) {
    assertThatThrownBy(() -> new NbdFrontend().resume(connection, state))
        .isInstanceOfSatisfying(
            StorageException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED));
  }

  private static SessionState stateOf(FrontendSession session) {
    return ((ReplaceableSession) session).state();
  }
}
