package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ToldFailuresTest {
  @Test
  void failureIsNewsUntilItIsAnotherOrTheSubjectSucceeded() {
    ToldFailures told = new ToldFailures();
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
