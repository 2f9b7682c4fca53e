package dev.holdfast.engine.sparse.internal.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.engine.sparse.simulation.Instrumented;
import dev.holdfast.engine.sparse.simulation.Outcome;
import dev.holdfast.engine.sparse.simulation.Rule;
import java.lang.reflect.Constructor;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/**
 * The replication's real code on simulated nodes. {@code -Dholdfast.simulation.histories=N} and
 * {@code -Dholdfast.simulation.seed=S} choose how many histories, and where they begin.
 */
class SimulationTest {
  private static final int HISTORIES = Integer.getInteger("holdfast.simulation.histories", 30);
  private static final long FIRST = Long.getLong("holdfast.simulation.seed", 1);
  private static final Instrumented CLASSES = new Instrumented(Rule.NONE);

  @SuppressWarnings("unchecked") // The class is loaded by name, in its instrumented form.
  private static Outcome play(long seed, Rule without) throws Exception {
    Constructor<?> simulation =
        Class.forName("dev.holdfast.engine.sparse.internal.simulated.Simulation", true, CLASSES)
            .getDeclaredConstructor(long.class, Rule.class);
    simulation.setAccessible(true);
    return ((Callable<Outcome>) simulation.newInstance(seed, without)).call();
  }

  @Test
  void noPromiseIsBroken() throws Exception {
    long begun = System.nanoTime();
    long acknowledged = 0;
    long openings = 0;
    for (long seed = FIRST; seed < FIRST + HISTORIES; seed++) {
      try {
        Outcome outcome = play(seed, Rule.NONE);
        acknowledged += outcome.acknowledged();
        openings += outcome.openings();
      } catch (RuntimeException | Error e) {
        fail("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    double minutes = (System.nanoTime() - begun) / 6e10;
    System.out.printf(
        "%d histories of replication, %.0f a minute: %d openings, %d changes acknowledged%n",
        HISTORIES, HISTORIES / minutes, openings, acknowledged);
    assertThat(openings).isGreaterThan(HISTORIES);
  }

  @Test
  void aSeedRepeatsItsHistory() throws Exception {
    for (long seed = FIRST; seed < FIRST + 20; seed++) {
      assertThat(play(seed, Rule.NONE)).as("seed %d", seed).isEqualTo(play(seed, Rule.NONE));
    }
  }
}
