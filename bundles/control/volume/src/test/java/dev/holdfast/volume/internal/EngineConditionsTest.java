package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions of a volume that repeat the engine's conditions while it has the volume open. */
class EngineConditionsTest {
  private static ReplicaSets engineSays(String type, Condition.Status status) {
    List<Condition> conditions =
        Condition.with(
            List.of(), type, status, "Remote", "requests pass through node-9", Instant.EPOCH);
    return ReplicaSets.of(1, "RW").observed(s -> s.withConditions(conditions));
  }

  private static Optional<Condition> told(String type, VolumePlan plan) {
    return Condition.find(plan.status().conditions(), type);
  }

  @ParameterizedTest
  @ValueSource(strings = {Engine.PLACED_CONDITION, Engine.REQUESTS_PASS_CONDITION})
  void volumeRepeatsWhatDoesNotHold(String type) {
    VolumePlan plan = engineSays(type, Condition.Status.FALSE).plan();
    Condition told = told(type, plan).orElseThrow();
    assertThat(told.status()).isEqualTo(Condition.Status.FALSE);
    assertThat(told.reason()).isEqualTo("Remote");
    assertThat(told.message()).isEqualTo("requests pass through node-9");
  }

  @ParameterizedTest
  @ValueSource(strings = {Engine.PLACED_CONDITION, Engine.REQUESTS_PASS_CONDITION})
  void volumeSaysNothingWhileItHoldsOrTheVolumeIsDetached(String type) {
    assertThat(told(type, engineSays(type, Condition.Status.TRUE).plan())).isEmpty();
    assertThat(
            told(
                type,
                engineSays(type, Condition.Status.FALSE)
                    .spec(s -> s.withNodeID(""))
                    .status(s -> s.withState(VolumeState.DETACHED).withCurrentNodeID(""))
                    .plan()))
        .isEmpty();
  }
}
