package dev.holdfast.itests.powercut;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cuts the power of a machine whose three disks hold the replicas of a volume under writes. Every
 * write that an acknowledged flush or FUA covered is there afterwards, the replicas are the same
 * bytes, and an engine that breaks its word is found out.
 */
class PowerCutE2E {
  private static final Logger LOG = Logger.getLogger(PowerCutE2E.class.getName());
  private static final long SEED = Long.getLong("holdfast.power.seed", 20_261_121L);
  private static final int CUTS = Integer.getInteger("holdfast.power.cuts", 5);
  private static final int SOAK_CUTS = Integer.getInteger("holdfast.power.soak.cuts", 200);

  @TempDir Path directory;

  @Test
  void everyCoveredWriteSurvivesPowerCuts() throws IOException, InterruptedException {
    survive(CUTS);
  }

  @Test
  @Tag("soak")
  void everyCoveredWriteSurvivesManyPowerCuts() throws IOException, InterruptedException {
    survive(SOAK_CUTS);
  }

  private void survive(int cuts) throws IOException, InterruptedException {
    Trial trial = new Trial(directory, SEED, Mutation.NONE);
    for (int cut = 1; cut <= cuts; cut++) {
      trial.cut(Moment.of(cut));
      assertThat(trial.problems()).as("seed %d, cut %d", SEED, cut).isEmpty();
    }
    trial.check();
    assertThat(trial.problems()).as("seed %d, after the last cut", SEED).isEmpty();
    History history = trial.history();
    LOG.info(
        () ->
            String.format(
                "%d cuts, %d openings, %d requests acknowledged, %d of them promised durability,"
                    + " %d sectors lost writes that no flush or FUA covered",
                cuts,
                trial.opened(),
                history.acknowledgements(),
                history.barriers(),
                history.dropped()));
    assertThat(history.dropped()).as("a cut that loses nothing tests nothing").isPositive();
  }

  @Test
  void anEngineThatIgnoresFlushesIsFoundOut() throws IOException, InterruptedException {
    isFoundOut(Mutation.FLUSH_IGNORED);
  }

  @Test
  @Tag("soak")
  void anEngineThatIgnoresFuaIsFoundOut() throws IOException, InterruptedException {
    isFoundOut(Mutation.FUA_IGNORED);
  }

  private void isFoundOut(Mutation mutation) throws IOException, InterruptedException {
    Trial trial = new Trial(directory, SEED, mutation);
    for (int cut = 1; cut <= CUTS && trial.problems().isEmpty(); cut++) {
      trial.cut(Moment.BARRIER);
    }
    if (trial.problems().isEmpty()) {
      trial.check();
    }
    assertThat(trial.problems()).anyMatch(problem -> problem.startsWith("sector "));
  }
}
