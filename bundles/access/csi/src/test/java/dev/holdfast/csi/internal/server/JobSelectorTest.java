package dev.holdfast.csi.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parameter by which a class lets its volumes select recurring jobs. */
class JobSelectorTest {
  @Test
  void jobsAndGroupsBecomeLabels() {
    assertThat(
            JobSelector.labels(
                "[{\"name\": \"nightly\"}, {\"name\": \"gold\", \"isGroup\": true}]"))
        .isEqualTo(
            Map.of(
                "recurring-job.holdfast.dev/nightly", "enabled",
                "recurring-job-group.holdfast.dev/gold", "enabled"));
    assertThat(JobSelector.labels(" ")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nightly", "{\"name\": \"nightly\"}", "[{\"isGroup\": true}]", "[\"a\"]"})
  void otherTextsAreRefused(String text) {
    assertThatThrownBy(() -> JobSelector.labels(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a JSON list such as");
  }
}
