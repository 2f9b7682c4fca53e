package dev.holdfast.portal.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Log of many connections that are closed because of their clients. */
class ClosedConnectionsTest {
  private final List<String> log = new ArrayList<>();
  private Instant now = Instant.EPOCH;
  private final ClosedConnections closed = new ClosedConnections(() -> now, log::add);

  private void pass(Duration time) {
    now = now.plus(time);
    closed.report();
  }

  @Test
  void firstIsReportedAtOnceAndTheOthersOnceAMinute() {
    closed.add("first");
    for (int i = 1; i <= 100; i++) {
      closed.add("number " + i);
    }
    pass(Duration.ofSeconds(59));
    assertThat(log).containsExactly("first; closed");
    pass(Duration.ofSeconds(1));
    pass(Duration.ofMinutes(1));
    assertThat(log)
        .containsExactly(
            "first; closed",
            "100 more connections were closed in the last minute, the last: number 100");
    closed.add("later");
    assertThat(log).hasSize(3).endsWith("later; closed");
  }
}
