package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import org.junit.jupiter.api.Test;

/** Conditions of a volume about its snapshots. */
class SnapshotConditionsTest {

  @Test
  void manySnapshotsAreToldUntilTheyAreFewer() {
    ReplicaSets set = ReplicaSets.of(1, "RW");
    VolumePlan few = set.snapshots(100).plan();
    assertThat(Condition.find(few.status().conditions(), VolumeConditions.TOO_MANY_SNAPSHOTS))
        .isEmpty();
    VolumePlan many = set.snapshots(101).plan();
    assertThat(Condition.isTrue(many.status().conditions(), VolumeConditions.TOO_MANY_SNAPSHOTS))
        .isTrue();
    VolumePlan fewer = set.status(s -> many.status()).snapshots(100).plan();
    assertThat(Condition.find(fewer.status().conditions(), VolumeConditions.TOO_MANY_SNAPSHOTS))
        .isEmpty();
  }

  @Test
  void damagedSnapshotsAreToldUntilTheyAreGone() {
    ReplicaSets set = ReplicaSets.of(2, "RW", "RW");
    VolumePlan damaged = set.snapshots(2, "s1", "s2").plan();
    Condition said =
        Condition.find(damaged.status().conditions(), VolumeConditions.SNAPSHOTS_INTACT)
            .orElseThrow();
    assertThat(said.status()).isEqualTo(Condition.Status.FALSE);
    assertThat(said.message()).contains("s1, s2", "the right content is unknown");
    VolumePlan gone = set.status(s -> damaged.status()).snapshots(0).plan();
    assertThat(Condition.find(gone.status().conditions(), VolumeConditions.SNAPSHOTS_INTACT))
        .isEmpty();
  }
}
