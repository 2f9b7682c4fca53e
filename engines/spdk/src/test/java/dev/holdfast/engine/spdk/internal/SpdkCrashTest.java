package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ends engine, target or both before each effect of each call: a call that changes the target, or a
 * write of a record. The next opening, or the restoration of the open volume, must complete or undo
 * the call. Deletion must remove all remaining objects.
 */
class SpdkCrashTest {
  private static final int STRIDE = 6;
  private static final int TARGET_STRIDE = 29;
  private static final int NEVER = 1_000_000;

  @TempDir private Path disks;

  /** Creates the lab of one attempt. */
  SpdkCrashLab lab() {
    return new SpdkCrashLab();
  }

  /**
   * Crashes at every {@code stride}-th effect. Returns the first tried effect that the call does
   * not have.
   */
  private int effects(SpdkCrashPoint call, SpdkCrashEnd end, int first, int stride)
      throws Exception {
    for (int effect = first; ; effect += stride) {
      String attempt = call + "-" + end + "-" + effect;
      Path folder = disks.resolve(attempt);
      Files.createDirectory(folder);
      try {
        if (!call.tryAt(new SpdkCrashWorld(lab(), folder, end), effect)) {
          return effect;
        }
      } catch (Exception | AssertionError e) {
        throw new AssertionError(attempt + ": " + e.getMessage(), e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void nextStartCompletesWhatWasInterrupted(SpdkCrashPoint call) throws Exception {
    assertThat(effects(call, SpdkCrashEnd.ENGINE, 1, STRIDE)).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void nextStartCompletesWhatWasInterruptedWithTheTarget(SpdkCrashPoint call) throws Exception {
    assertThat(effects(call, SpdkCrashEnd.BOTH, 3, TARGET_STRIDE)).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void restorationCompletesWhatARestartOfTheTargetInterrupted(SpdkCrashPoint call)
      throws Exception {
    assertThat(effects(call, SpdkCrashEnd.TARGET, 2, TARGET_STRIDE)).isPositive();
  }

  /**
   * The strides above skip the last effects of these calls. Crashes there once left objects that no
   * later call removed.
   */
  @ParameterizedTest
  @EnumSource(names = {"REBUILD", "HOLD"})
  void restorationCompletesWhatWasInterruptedAtEachEffect(SpdkCrashPoint call) throws Exception {
    assertThat(effects(call, SpdkCrashEnd.TARGET, 0, 1)).isPositive();
  }

  @Tag("soak")
  @ParameterizedTest
  @EnumSource
  void nextStartCompletesWhatWasInterruptedAnywhere(SpdkCrashPoint call) throws Exception {
    for (SpdkCrashEnd end : SpdkCrashEnd.values()) {
      assertThat(effects(call, end, 0, 1)).as("effects of the call").isPositive();
    }
  }

  /** The suite finds faults that are planted in the engine's effects. */
  @ParameterizedTest
  @EnumSource
  void plantedFaultIsFound(SpdkCrashMutant mutant) throws Exception {
    SpdkCrashLab lab = lab();
    lab.omit(mutant.omitted());
    SpdkCrashWorld world = new SpdkCrashWorld(lab, disks, SpdkCrashEnd.ENGINE);
    assertThat(catchThrowable(() -> mutant.call().tryAt(world, NEVER)))
        .isInstanceOfAny(AssertionError.class, Exception.class);
  }
}
