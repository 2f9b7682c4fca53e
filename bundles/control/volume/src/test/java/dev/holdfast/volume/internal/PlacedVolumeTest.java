package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Condition of a volume about the node that uses its disk for all. */
class PlacedVolumeTest {
  private static ReplicaSets engineSays(Condition.Status status) {
    List<Condition> conditions =
        Condition.with(
            List.of(),
            Engine.PLACED_CONDITION,
            status,
            "Remote",
            "requests pass through node-9",
            Instant.EPOCH);
    return ReplicaSets.of(1, "RW").observed(s -> s.withConditions(conditions));
  }

  private static Optional<Condition> placed(VolumePlan plan) {
    return Condition.find(plan.status().conditions(), VolumeConditions.PLACED);
  }

  @Test
  void volumeRepeatsWhyItsNodeDoesNotUseTheDisk() {
    Condition told = placed(engineSays(Condition.Status.FALSE).plan()).orElseThrow();
    assertThat(told.status()).isEqualTo(Condition.Status.FALSE);
    assertThat(told.reason()).isEqualTo("Remote");
    assertThat(told.message()).isEqualTo("requests pass through node-9");
  }

  @Test
  void volumeSaysNothingWhileItsNodeUsesTheDiskOrItIsDetached() {
    assertThat(placed(engineSays(Condition.Status.TRUE).plan())).isEmpty();
    assertThat(
            placed(
                engineSays(Condition.Status.FALSE)
                    .spec(s -> s.withNodeID(""))
                    .status(s -> s.withState(VolumeState.DETACHED).withCurrentNodeID(""))
                    .plan()))
        .isEmpty();
  }
}
