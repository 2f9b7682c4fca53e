package dev.holdfast.volume.internal;

import static dev.holdfast.volume.internal.ReplicaSets.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A replica whose directory is missing on its disk. */
class LostDataTest {
  private static Condition complete(VolumePlan plan) {
    return Condition.find(plan.status().conditions(), VolumeConditions.REPLICAS_COMPLETE)
        .orElseThrow();
  }

  private static String rebuilt(VolumePlan plan) {
    return plan.engine().map(e -> e.spec().rebuildReplica()).orElse("");
  }

  private static ReplicaSets lostSince(Duration age) {
    return ReplicaSets.of(3, "RW", "RW", "RW")
        .failed("r3", NOW.minus(age), 0)
        .lost("r3")
        .status(s -> s.withLastDegradedAt(Optional.of(NOW.minus(age))));
  }

  @Test
  void replicaIsWaitedForAndNotRebuiltAndTheVolumeSaysWhy() {
    VolumePlan plan = lostSince(Duration.ofSeconds(100)).plan();
    assertThat(rebuilt(plan)).isEmpty();
    assertThat(plan.newReplicas()).isEmpty();
    assertThat(plan.deleted()).isEmpty();
    assertThat(plan.again()).contains(Duration.ofSeconds(500));
    assertThat(complete(plan).reason()).isEqualTo("WaitingForReplica");
    assertThat(complete(plan).message())
        .contains("the data of replica r3 is gone from node n3, directory r3 of disk disk-1")
        .contains("restore it", "another replica takes its place", "2880 minutes");
  }

  @Test
  void anotherReplicaTakesItsPlaceAfterTheWaitAndItIsDeletedWhenStale() {
    VolumePlan replaced = lostSince(Duration.ofSeconds(601)).plan();
    assertThat(replaced.newReplicas()).hasSize(1);
    assertThat(replaced.deleted()).isEmpty();
    VolumePlan stale = lostSince(Duration.ofMinutes(2881)).plan();
    assertThat(stale.deleted()).extracting(Replica::name).containsExactly("r3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ERR", "FAILED"})
  void replicaThatIsToBeRebuiltIsGivenUp(String mode) {
    // The replica failed and returned: the engine does not list it before its rebuild begins.
    ReplicaSets set =
        ReplicaSets.of(3, "RW", "RW", mode)
            .with("r3", s -> s.withFailedAt(Optional.empty()).withLastFailedAt(Optional.empty()))
            .lost("r3")
            .engine(e -> e.withRebuildReplica("r3").withRebuildAttempt(1));
    VolumePlan plan = set.plan();
    assertThat(plan.replicas())
        .filteredOn(r -> r.name().equals("r3"))
        .extracting(Replica::spec)
        .extracting(ReplicaSpec::failedAt)
        .containsExactly(Optional.of(NOW));
    assertThat(plan.engine().map(e -> e.spec()).map(EngineSpec::rebuildReplica)).contains("");
    assertThat(complete(plan).message()).contains("the data of replica r3 is gone");
  }

  @Test
  void replicaComesBackOnceItsDirectoryIsRestored() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "RW").failed("r3", NOW.minusSeconds(700), 0).plan();
    assertThat(rebuilt(plan)).isEqualTo("r3");
  }

  @Test
  void replicaThatIsServedFromDeletedFilesDoesNotDeleteAnother() {
    VolumePlan plan =
        ReplicaSets.of(2, "RW", "RW")
            .failed("r2", NOW.minus(Duration.ofMinutes(2881)), 0)
            .lost("r1")
            .plan();
    assertThat(plan.deleted()).isEmpty();
    assertThat(complete(plan).message()).contains("the data of replica r1 is gone");
  }
}
