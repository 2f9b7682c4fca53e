package dev.holdfast.engine.sparse.internal.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.sparse.simulation.Outcome;
import dev.holdfast.engine.sparse.simulation.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Runs the real code of the replication on simulated nodes. {@code
 * -Dholdfast.simulation.histories=N} and {@code -Dholdfast.simulation.seed=S} choose the number of
 * histories and the first seed; so does {@code ./holdfast test simulation --histories N --seed S}.
 * The scheduler ends a history that hangs. The duration of the test depends on the number of
 * histories.
 */
class SimulationTest {
  private static final int HISTORIES = Integer.getInteger("holdfast.simulation.histories", 400);
  private static final long FIRST = Long.getLong("holdfast.simulation.seed", 1);
  private static final int REPEATED = Math.min(HISTORIES, 10);

  private static Histories histories;

  @BeforeAll
  static void load() throws Exception {
    histories = new Histories(Rule.NONE, Rule.NONE);
  }

  /** Sum of the results of all histories. */
  private static final class Sum {
    private final AtomicLong next = new AtomicLong(FIRST);
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong openings = new AtomicLong();
    private final AtomicLong faults = new AtomicLong();
    // Digest of all histories, independent of their order.
    private final AtomicLong digest = new AtomicLong();

    List<String> play() throws Exception {
      List<String> broken = new ArrayList<>();
      for (long seed = next.getAndIncrement();
          seed < FIRST + HISTORIES;
          seed = next.getAndIncrement()) {
        try {
          Outcome outcome = histories.play(seed);
          acknowledged.addAndGet(outcome.acknowledged());
          openings.addAndGet(outcome.openings());
          faults.addAndGet(outcome.faults());
          digest.addAndGet((outcome.trace() ^ seed) * 0x9E3779B97F4A7C15L);
        } catch (RuntimeException | Error e) {
          String why = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
          broken.add(why + "; ./holdfast test simulation --histories 1 --seed " + seed);
        }
      }
      return broken;
    }
  }

  @Test
  void noPromiseIsBroken() throws Exception {
    int threads = Runtime.getRuntime().availableProcessors();
    ExecutorService players = Executors.newFixedThreadPool(threads);
    Sum sum = new Sum();
    long begun = System.nanoTime();
    List<String> broken = new ArrayList<>();
    try {
      List<Future<List<String>>> played = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        played.add(players.submit(sum::play));
      }
      for (Future<List<String>> one : played) {
        broken.addAll(one.get());
      }
    } finally {
      players.shutdown();
    }
    System.out.printf(
        "%d histories of replication from seed %d, %.0f a second: %d openings, %d faults,"
            + " %d changes acknowledged, digest %016x%n",
        HISTORIES,
        FIRST,
        HISTORIES * 1e9 / (System.nanoTime() - begun),
        sum.openings.get(),
        sum.faults.get(),
        sum.acknowledged.get(),
        sum.digest.get());
    assertThat(broken).isEmpty();
    assertThat(sum.openings.get()).isGreaterThan(HISTORIES);
  }

  @Test
  void aSeedRepeatsItsHistory() throws Exception {
    for (long seed = FIRST; seed < FIRST + REPEATED; seed++) {
      assertThat(histories.play(seed)).as("seed %d", seed).isEqualTo(histories.play(seed));
    }
  }
}
