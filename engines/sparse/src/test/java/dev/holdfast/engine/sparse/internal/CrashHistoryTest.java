package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.engine.sparse.internal.disk.Mutant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of kills, power cuts and dying disks. {@code -Dholdfast.histories=100000} for
 * the long form, {@code -Dholdfast.seed=N} to repeat one.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrashHistoryTest {
  private static final int HISTORIES = Integer.getInteger("holdfast.histories", 400);
  private static final int UNTIL_CAUGHT = 1_000;

  @Test
  void noPromiseIsBroken() throws Exception {
    long first = Long.getLong("holdfast.seed", 1);
    long faults = 0;
    for (long seed = first; seed < first + HISTORIES; seed++) {
      try {
        faults += new CrashHistory(seed, Mutant.NONE).run();
      } catch (CrashHistory.BrokenPromise e) {
        fail("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    assertThat(faults).isGreaterThan(HISTORIES);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "NONE",
        "MARKS_CLEARED_ON_SYNC",
        "NAMES_NOT_SYNCED",
        "OPERATION_NOT_RECORDED",
        "FOLD_NOT_RECORDED",
        "KEPT_TAKEN_FOR_REMOVED",
        "HIDDEN_CLEARED_UNSYNCED",
        "SHORT_HEAD",
        "BASE_NOT_HIDDEN",
        "BASE_HOLES_NOT_ZERO",
        "BASE_FORGOTTEN",
        "LAYER_REPLACED_TOO_EARLY"
      })
  void aRuleTakenAwayIsNoticed(Mutant mutant) throws Exception {
    for (long seed = 1; seed <= UNTIL_CAUGHT; seed++) {
      try {
        new CrashHistory(seed, mutant).run();
      } catch (CrashHistory.BrokenPromise e) {
        assertThat(e.getMessage()).as("seed %d", seed).containsAnyOf("block", "refused");
        return;
      }
    }
    fail(mutant + " was not noticed in " + UNTIL_CAUGHT + " histories");
  }
}
