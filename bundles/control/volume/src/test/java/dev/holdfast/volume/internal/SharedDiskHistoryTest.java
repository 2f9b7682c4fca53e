package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.volume.internal.SharedDiskWorld.Mutant;
import org.junit.jupiter.api.Test;

/** Random histories of a volume on a shared disk: owners are killed, partitioned and removed. */
class SharedDiskHistoryTest {
  private static final int STEPS = 400;

  private static void play(long seed, Mutant mutant, boolean mixed) {
    SharedDiskWorld world = new SharedDiskWorld(seed, mutant, mixed);
    for (int i = 0; i < STEPS; i++) {
      world.step();
    }
    world.converge();
  }

  @Test
  void neverHasTwoWritersAndLosesNothing() throws Exception {
    Histories.play(50, seed -> play(seed, Mutant.NONE, false));
  }

  @Test
  void waitsForASilentNodeWhoseEngineTakesNoLock() throws Exception {
    Histories.play(50, seed -> play(seed, Mutant.NONE, true));
  }

  @Test
  void findsASilentNodeThatIsTakenForClosed() throws Exception {
    AssertionError found =
        Histories.firstFailure(300, seed -> play(seed, Mutant.SILENT_IS_CLOSED, true));
    assertThat(found).hasMessageContaining("writers whose writes reach the disk");
  }

  @Test
  void findsAReplicaThatIsReleasedWithItsNode() throws Exception {
    AssertionError found =
        Histories.firstFailure(300, seed -> play(seed, Mutant.RELEASED_WITH_ITS_NODE, false));
    assertThat(found).hasMessageContaining("data without a replica");
  }

  @Test
  void findsAnEngineThatOpensWithoutTheLock() throws Exception {
    AssertionError found =
        Histories.firstFailure(300, seed -> play(seed, Mutant.OPENS_WITHOUT_LOCK, false));
    assertThat(found).hasMessageContaining("writers whose writes reach the disk");
  }
}
