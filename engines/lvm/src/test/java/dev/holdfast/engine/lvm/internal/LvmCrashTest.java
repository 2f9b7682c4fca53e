package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ends the process before and after each command, and each write of a record, of each call. The
 * next opening must complete or undo the call. Deletion must remove all remaining objects.
 */
class LvmCrashTest {
  private static int points(CrashPoint call, boolean atRecord) throws Exception {
    return points(call, atRecord, SimulatedLab::new);
  }

  private static int points(CrashPoint call, boolean atRecord, Supplier<SimulatedLab> labs)
      throws Exception {
    for (int point = 0; ; point++) {
      for (boolean after : new boolean[] {false, true}) {
        if (!call.tryAt(new CrashWorld(labs.get()), point, after, atRecord)) {
          return point;
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void nextStartCompletesWhatACommandInterrupted(CrashPoint call) throws Exception {
    assertThat(points(call, false)).as("commands of the call").isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void nextStartCompletesWhatAWriteInterrupted(CrashPoint call) throws Exception {
    assertThat(points(call, true) > 0).as("writes a record").isEqualTo(call.isRecorded());
  }

  /** The suite finds faults that are planted in the engine's records and commands. */
  @ParameterizedTest
  @EnumSource
  @Timeout(60)
  void plantedFaultIsFound(CrashMutant mutant) {
    assertThat(isFound(mutant, false) || isFound(mutant, true)).isTrue();
  }

  private static boolean isFound(CrashMutant mutant, boolean atRecord) {
    try {
      int unused = points(mutant.call(), atRecord, mutant::lab);
      return false;
    } catch (Exception | AssertionError e) {
      return true;
    }
  }
}
