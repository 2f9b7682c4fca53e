package dev.holdfast.frontend.nbd;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.holdfast.frontend.TlsPolicy;
import java.util.Arrays;
import java.util.List;

/**
 * Inputs that coverage-guided fuzzing found. The stored inputs run every time; {@code -Dfuzz}
 * searches for new ones.
 */
class NbdSessionGuidedFuzzTest {
  private static final int STYLES = 4;

  /** The first byte selects how the stream is split, the second the stage of negotiation. */
  @FuzzTest(maxDuration = "10m")
  void anyStreamEndsInAnswersOrAClosedConnection(byte[] input) {
    if (input.length < 2) {
      return;
    }
    int piece = 1 + (input[0] & 0xff) * 16;
    int style = (input[1] & 0x7f) % STYLES;
    TlsPolicy tls = input[1] < 0 ? TlsPolicy.OFFERED : TlsPolicy.OFF;
    byte[] stream = Arrays.copyOfRange(input, 2, input.length);
    if (style == STYLES - 1) {
      NbdFuzzTest.play(stream, piece, tls);
    } else {
      byte[] negotiated = Streams.intoTransmission(style);
      NbdFuzzTest.play(Streams.concat(List.of(negotiated, stream)), piece, TlsPolicy.OFF);
    }
  }
}
