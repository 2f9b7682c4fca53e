package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.ReplacementHistory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random histories of replacements. NBD's tests show that such histories find planted faults. */
@Timeout(1200)
final class NvmeReplacementHistoryTest {
  private static final int HISTORIES = Boolean.getBoolean("holdfast.soak") ? 1000 : 8;

  @Test
  void historiesLoseNothing() throws Exception {
    for (HostOptions options : List.of(HostOptions.PLAIN, HostOptions.CAREFUL)) {
      ReplacementHistory history =
          new ReplacementHistory(
              new NvmeFixture(options), NvmeofFrontend::new, Duration.ofSeconds(20));
      for (long seed = 1; seed <= HISTORIES; seed++) {
        history.live(seed);
      }
    }
  }
}
