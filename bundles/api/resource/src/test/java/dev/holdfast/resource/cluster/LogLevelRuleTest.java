package dev.holdfast.resource.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogLevelRuleTest {
  private static final Instant END = Instant.parse("2026-11-29T13:00:00Z");

  @Test
  void valueIsReadAsItWasWritten() {
    LogLevelRule all = new LogLevelRule("", "dev.holdfast.portal", "DEBUG", Optional.empty());
    LogLevelRule one = new LogLevelRule("node-2", "ROOT", "TRACE", Optional.of(END));
    String value = all.text() + ", " + one.text();

    assertThat(value)
        .isEqualTo("dev.holdfast.portal=DEBUG, node-2/ROOT=TRACE@2026-11-29T13:00:00Z");
    assertThat(LogLevelRule.parse(value)).isEqualTo(List.of(all, one));
    assertThat(PlatformSettings.LOG_LEVEL.fault(value)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "a=LOUD", "=INFO", "a=INFO,", "a=INFO@soon", "A/b=INFO", "a=INFO b=INFO"})
  void otherFormIsRefused(String value) {
    assertThat(PlatformSettings.LOG_LEVEL.fault(value)).isPresent();
  }

  @Test
  void ruleHoldsOnItsNodeUntilItsEnd() {
    LogLevelRule rule = new LogLevelRule("node-2", "a", "INFO", Optional.of(END));

    assertThat(rule.holds("node-2", END.minusSeconds(1))).isTrue();
    assertThat(rule.holds("node-2", END)).isFalse();
    assertThat(rule.holds("node-1", END.minusSeconds(1))).isFalse();
  }
}
