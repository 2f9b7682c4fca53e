package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import dev.holdfast.frontend.testkit.ReplacementHistory;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random histories of replacements, with partly transferred requests and responses. */
@Timeout(1200)
final class IscsiReplacementHistoryTest {
  private static final int HISTORIES = Boolean.getBoolean("holdfast.soak") ? 300 : 5;

  @ParameterizedTest
  @EnumSource(IscsiClient.Style.class)
  void historiesLoseNothing(IscsiClient.Style style) throws Exception {
    ReplacementHistory history =
        new ReplacementHistory(new IscsiFixture(style), IscsiFrontend::new, Duration.ofSeconds(20));
    for (long seed = 1; seed <= HISTORIES; seed++) {
      history.live(seed);
    }
  }
}
