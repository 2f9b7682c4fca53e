package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.engine.sparse.internal.disk.Mutant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of snapshots and crashes. {@code -Dholdfast.histories=100000} for the long form,
 * {@code -Dholdfast.seed=N} to repeat one.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChainHistoryTest {
  private static final int HISTORIES = Integer.getInteger("holdfast.histories", 1_000);
  private static final int UNTIL_CAUGHT = 3_000;

  @Test
  void noContentChanges() throws Exception {
    long first = Long.getLong("holdfast.seed", 1);
    long operations = 0;
    for (long seed = first; seed < first + HISTORIES; seed++) {
      try {
        operations += new ChainHistory(seed, Mutant.NONE).run();
      } catch (ChainHistory.BrokenPromise e) {
        fail("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    assertThat(operations).isGreaterThan(3L * HISTORIES);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "FLUSH_IGNORED",
        "NAMES_NOT_SYNCED",
        "OPERATION_NOT_RECORDED",
        "FOLD_NOT_RECORDED",
        "KEPT_TAKEN_FOR_REMOVED",
        "HIDDEN_CLEARED_UNSYNCED",
        "SHORT_HEAD",
        "LAYER_REPLACED_TOO_EARLY",
        "BASE_NOT_HIDDEN",
        "BASE_HOLES_NOT_ZERO",
        "BASE_FORGOTTEN"
      })
  void aRuleTakenAwayIsNoticed(Mutant mutant) throws Exception {
    for (long seed = 1; seed <= UNTIL_CAUGHT; seed++) {
      try {
        new ChainHistory(seed, mutant).run();
      } catch (ChainHistory.BrokenPromise e) {
        return;
      }
    }
    fail(mutant + " was not noticed in " + UNTIL_CAUGHT + " histories");
  }
}
