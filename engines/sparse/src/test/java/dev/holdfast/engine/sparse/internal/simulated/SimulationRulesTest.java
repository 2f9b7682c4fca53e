package dev.holdfast.engine.sparse.internal.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.sparse.simulation.Rule;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The checker of the simulated histories is right only if it detects a missing rule of the
 * protocol. The missing rule must be the cause, so the same history must pass with all rules.
 */
@Tag("slow")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulationRulesTest {
  private static final int MOST = 400;

  // Rules whose absence no history can show, as docs/REPLICATION.md proves.
  private static final EnumSet<Rule> LEFT_OUT = EnumSet.of(Rule.NONE, Rule.OWN_MARKS_COPIED);

  // Only one of hundreds of histories shows the absence of these rules, so only soak runs them.
  private static final EnumSet<Rule> RARE = EnumSet.of(Rule.START_WITH_MAJORITY, Rule.READS_WAIT);

  private static final ExecutorService PLAYERS =
      Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
  private static final Map<Rule, Future<Noticed>> PLAYED = new EnumMap<>(Rule.class);

  /**
   * Result for a rule.
   *
   * @param planted whether the code contains the edits that remove it
   * @param seed of the history that shows its absence, more than {@link #MOST} if none does
   */
  private record Noticed(boolean planted, int seed) {}

  @BeforeAll
  static void play() {
    for (Rule rule : rules()) {
      PLAYED.put(rule, PLAYERS.submit(() -> played(rule)));
    }
  }

  @AfterAll
  static void stop() {
    PLAYERS.shutdownNow();
  }

  private static Noticed played(Rule rule) throws Exception {
    Histories without = new Histories(rule, rule);
    Histories with = new Histories(Rule.NONE, rule);
    int seed = 1;
    while (seed <= MOST && !(without.breaks(seed) && !with.breaks(seed))) {
      seed++;
    }
    return new Noticed(without.planted(), seed);
  }

  static Set<Rule> rules() {
    EnumSet<Rule> rules = EnumSet.complementOf(LEFT_OUT);
    if (!Boolean.getBoolean("holdfast.soak")) {
      rules.removeAll(RARE);
    }
    return rules;
  }

  @ParameterizedTest
  @MethodSource("rules")
  void aRuleTakenAwayIsNoticed(Rule rule) throws Exception {
    Noticed noticed = PLAYED.get(rule).get();
    assertThat(noticed.planted()).as("the change is in the code").isTrue();
    assertThat(noticed.seed()).as("noticed without " + rule + " only").isLessThanOrEqualTo(MOST);
  }
}
