package dev.holdfast.engine.sparse.internal.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.sparse.simulation.Rule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The judge of the simulated histories is right only if it notices when a rule of the protocol is
 * missing; and the rule must be the reason, so the same history with all rules must be in order.
 */
@Tag("slow")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulationRulesTest {
  private static final int MOST = 400;

  // Left out is one whose lack nothing can show, as docs/REPLICATION.md proves.
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NONE", "OWN_MARKS_COPIED"})
  void aRuleTakenAwayIsNoticed(Rule rule) throws Exception {
    Histories without = new Histories(rule, rule);
    Histories with = new Histories(Rule.NONE, rule);
    long seed = 1;
    while (seed <= MOST && !(without.breaks(seed) && !with.breaks(seed))) {
      seed++;
    }
    assertThat(without.planted()).as("the change is in the code").isTrue();
    assertThat(seed).as("noticed without " + rule + " only").isLessThanOrEqualTo(MOST);
  }
}
