package dev.holdfast.rule.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of a kit begin with the rule; skips do not change. */
class NamedRulesTest {

  @ExtendWith(NamedRules.class)
  private abstract static class Rules {
    @Test
    final void fails() {
      assertThat(1).isEqualTo(2);
    }

    @Test
    final void throwsSomething() throws IOException {
      throw new IOException("the pipe broke");
    }

    @ParameterizedTest
    @ValueSource(ints = 7)
    final void failsInACase(int value) {
      assertThat(value).isZero();
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MILLISECONDS)
    final void doesNotEnd() throws InterruptedException {
      synchronized (this) {
        while (true) {
          wait();
        }
      }
    }

    @Test
    final void isSkipped() {
      assumeTrue(false, "not here");
    }

    @Test
    final void passes() {}
  }

  static final class Planted extends Rules {}

  static final class Unprepared extends Rules {
    @BeforeEach
    void prepare() throws IOException {
      Files.delete(Path.of("no such disk"));
    }
  }

  private static final PlantedRun RUN = PlantedRun.of(Planted.class);

  @Test
  void failureNamesRuleExpectedAndFoundValue() {
    assertThat(RUN.failureOf("fails")).contains("rule Rules.fails: ", "expected: 2", "but was: 1");
  }

  @Test
  void failureOfOneCaseNamesTheCase() {
    assertThat(RUN.failureOf("failsInACase")).contains("rule Rules.failsInACase [1] value=7: ");
  }

  @Test
  void exceptionIsAFailureOfTheRule() {
    assertThat(RUN.failureOf("throwsSomething"))
        .contains("rule Rules.throwsSomething: expected no exception, found ", "the pipe broke");
  }

  @Test
  void ruleThatDoesNotEndIsNamed() {
    assertThat(RUN.failureOf("doesNotEnd")).contains("rule Rules.doesNotEnd: ", "timed out");
  }

  @Test
  void failedPreparationNamesTheRule() {
    assertThat(PlantedRun.of(Unprepared.class, "passes").failureOf("passes"))
        .contains("rule Rules.passes, preparation: ", "no such disk");
  }

  @Test
  void skippedAndPassedRulesDoNotFail() {
    assertThat(RUN.failures()).doesNotContainKeys("isSkipped", "passes");
    assertThat(RUN.passed()).isEqualTo(1);
  }
}
