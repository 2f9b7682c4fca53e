package dev.holdfast.frontend.nvmeof;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;

/**
 * Inputs that coverage-guided fuzzing found. The stored inputs run every time; {@code -Dfuzz}
 * searches for new ones.
 */
class NvmeSessionGuidedFuzzTest {
  private static final int PHASES = 4;

  /** The first byte selects how the stream is split, the second the stage of the connection. */
  @FuzzTest(maxDuration = "10m")
  void anyStreamEndsInAnswersOrAClosedConnection(byte[] input) {
    if (input.length < 2) {
      return;
    }
    int piece = 1 + (input[0] & 0xff) * 16;
    int phase = (input[1] & 0x7f) % PHASES;
    NvmeFuzzTest.play(phase, Arrays.copyOfRange(input, 2, input.length), piece);
  }
}
