package dev.holdfast.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthViewsTest {
  private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");

  private final HealthViews views = new HealthViews(Clock.fixed(NOW, ZoneOffset.UTC));

  @Test
  void findingsAreATableAndTheirRemedies() {
    Output output =
        views.findings(
            List.of(
                new HealthFinding(
                    "NODE_DOWN",
                    HealthSeverity.ERROR,
                    List.of("node/node-2"),
                    Optional.of(NOW.minusSeconds(30)),
                    "node node-2 is not ready",
                    "start it"),
                new HealthFinding(
                    "CERTIFICATE_ENDS",
                    HealthSeverity.WARNING,
                    List.of("node/node-1", "node/node-3"),
                    Optional.of(NOW.plusSeconds(86_400)),
                    "a certificate ends",
                    "renew it")));
    assertThat(output.as(Output.Format.TEXT))
        .isEqualTo(
            """
            SEVERITY   CODE               SINCE     OBJECTS
            ERROR      NODE_DOWN          30s ago   node/node-2
            WARNING    CERTIFICATE_ENDS   in 24h    node/node-1 and 1 more

            NODE_DOWN: node node-2 is not ready
              start it
            CERTIFICATE_ENDS: a certificate ends
              renew it""");
    assertThat(output.json().get().path("findings").path(1).path("since").asText())
        .isEqualTo("2026-05-02T12:00:00Z");
  }

  @Test
  void healthyClusterIsOneSentence() {
    assertThat(views.findings(List.of()).as(Output.Format.TEXT)).isEqualTo("All is well.");
  }
}
