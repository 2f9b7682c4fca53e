package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConditionTest {
  private static final Instant T1 = Instant.parse("2026-11-21T08:00:00.5Z");
  private static final Instant T1_SECOND = Instant.parse("2026-11-21T08:00:00Z");
  private static final Instant T2 = Instant.parse("2026-11-21T09:00:00Z");

  private static List<Condition> ready(
      List<Condition> conditions, Condition.Status status, String reason, Instant now) {
    return Condition.with(conditions, "Ready", status, reason, "", now);
  }

  @Test
  void aNewConditionIsAddedWithTheTimeToTheSecond() {
    List<Condition> conditions = ready(List.of(), Condition.Status.TRUE, "Up", T1);

    assertThat(conditions)
        .containsExactly(new Condition("Ready", Condition.Status.TRUE, "Up", "", T1_SECOND));
  }

  @Test
  void theTimeMovesOnlyWithTheStatus() {
    List<Condition> first = ready(List.of(), Condition.Status.TRUE, "Up", T1);
    List<Condition> sameStatus = ready(first, Condition.Status.TRUE, "StillUp", T2);
    List<Condition> changed = ready(sameStatus, Condition.Status.FALSE, "Down", T2);

    assertThat(sameStatus.get(0).reason()).isEqualTo("StillUp");
    assertThat(sameStatus.get(0).lastTransitionTime()).isEqualTo(T1_SECOND);
    assertThat(changed.get(0).lastTransitionTime()).isEqualTo(T2);
  }

  @Test
  void setTwiceIsSetOnce() {
    List<Condition> once = ready(List.of(), Condition.Status.TRUE, "Up", T1);

    assertThat(ready(once, Condition.Status.TRUE, "Up", T2)).isEqualTo(once);
  }

  @Test
  void othersStayInTheirPlaces() {
    Condition first = new Condition("A", Condition.Status.TRUE, "", "", T1);
    Condition last = new Condition("Z", Condition.Status.FALSE, "", "", T1);
    List<Condition> conditions =
        List.of(first, new Condition("Ready", Condition.Status.TRUE, "Up", "", T1), last);

    assertThat(ready(conditions, Condition.Status.FALSE, "Down", T2))
        .extracting(Condition::type)
        .containsExactly("A", "Ready", "Z");
  }

  @Test
  void onlyTrueIsTrue() {
    for (Condition.Status status : Condition.Status.values()) {
      List<Condition> conditions = ready(List.of(), status, "", T1);

      assertThat(Condition.isTrue(conditions, "Ready")).isEqualTo(status == Condition.Status.TRUE);
      assertThat(Condition.find(conditions, "Ready")).isPresent();
    }
    assertThat(Condition.isTrue(List.of(), "Ready")).isFalse();
    assertThat(Condition.find(List.of(), "Ready")).isEmpty();
  }
}
