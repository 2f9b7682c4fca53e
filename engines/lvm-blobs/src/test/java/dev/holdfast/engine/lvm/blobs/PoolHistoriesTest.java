package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.engine.lvm.blobs.MovingPool.Mutant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Plays random histories of a pool that moves between three nodes. */
class PoolHistoriesTest {
  private static final int HISTORIES = 1_000;
  private static final int STEPS = 400;

  @Test
  void everyHistoryKeepsRequestsAndSettles() throws Exception {
    AtomicInteger activations = new AtomicInteger();
    Histories.play(
        HISTORIES, seed -> activations.addAndGet(new MovingPool(seed, Mutant.NONE).play(STEPS)));
    assertThat(activations.get()).as("the pool moves in most histories").isGreaterThan(1);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void plantedMutantIsFound(Mutant mutant) throws Exception {
    AssertionError found =
        Histories.firstFailure(200, seed -> new MovingPool(seed, mutant).play(STEPS));
    assertThat(found).hasMessageNotContaining("index");
  }
}
