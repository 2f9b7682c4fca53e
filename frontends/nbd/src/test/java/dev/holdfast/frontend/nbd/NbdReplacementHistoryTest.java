package dev.holdfast.frontend.nbd;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.frontend.nbd.internal.NbdFrontend;
import dev.holdfast.frontend.testkit.ReplacementHistory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random histories of replacements, and planted faults that they must find. */
@Timeout(1200)
final class NbdReplacementHistoryTest {
  private static final int HISTORIES = Boolean.getBoolean("holdfast.soak") ? 1000 : 15;
  private static final int HISTORIES_UNTIL_FOUND = 40;

  @ParameterizedTest
  @EnumSource(NbdClient.Style.class)
  void historiesLoseNothing(NbdClient.Style style) throws Exception {
    ReplacementHistory history =
        new ReplacementHistory(new NbdFixture(style), NbdFrontend::new, Duration.ofSeconds(20));
    for (long seed = 1; seed <= HISTORIES; seed++) {
      history.live(seed);
    }
  }

  @ParameterizedTest
  @EnumSource(MutantFrontend.Mistake.class)
  void mistakeIsFound(MutantFrontend.Mistake mistake) {
    ReplacementHistory history =
        new ReplacementHistory(
            new NbdFixture(NbdClient.Style.STRUCTURED),
            () -> new MutantFrontend(mistake),
            Duration.ofSeconds(1));
    assertThatThrownBy(
            () -> {
              for (long seed = 1; seed <= HISTORIES_UNTIL_FOUND; seed++) {
                history.live(seed);
              }
            })
        .as(mistake.name())
        .isNotNull();
  }

  @Test
  void sessionsWithoutMistakePassTheSameHistories() throws Exception {
    ReplacementHistory history =
        new ReplacementHistory(
            new NbdFixture(NbdClient.Style.STRUCTURED),
            () -> new MutantFrontend(MutantFrontend.NONE),
            Duration.ofSeconds(20));
    for (long seed = 1; seed <= HISTORIES_UNTIL_FOUND; seed++) {
      history.live(seed);
    }
  }
}
