package dev.holdfast.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReportedFailuresTest {
  @Test
  void failureIsNewsUntilItIsAnotherOrTheSubjectSucceeded() {
    ReportedFailures told = new ReportedFailures();
    assertThat(told.isNews("a", "no room")).isTrue();
    assertThat(told.isNews("a", "no room")).isFalse();
    assertThat(told.isNews("b", "no room")).isTrue();
    assertThat(told.isNews("a", "unreachable")).isTrue();
    assertThat(told.isNews("a", "no room")).isTrue();
    assertThat(told.forget("a")).isTrue();
    assertThat(told.forget("a")).isFalse();
    assertThat(told.isNews("a", "no room")).isTrue();
  }
}
