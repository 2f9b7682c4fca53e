package dev.holdfast.volume.internal;

import static dev.holdfast.volume.internal.ReplicaSets.LONG_AGO;
import static dev.holdfast.volume.internal.ReplicaSets.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.AutoBalance;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.RebuildState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.SettingOverride;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The next replica to add, rebuild or remove: a table of cases. */
class ReplicaSetPlannerTest {
  private static EngineSpec engineSpec(VolumePlan plan) {
    return plan.engine().orElseThrow().spec();
  }

  private static void assertNothingMoves(VolumePlan plan) {
    assertThat(plan.newReplicas()).isEmpty();
    assertThat(plan.deleted()).isEmpty();
    plan.engine()
        .ifPresent(
            engine -> {
              assertThat(engine.spec().rebuildReplica()).isEmpty();
              assertThat(engine.spec().removedReplicas()).isEmpty();
            });
  }

  private static String why(VolumePlan plan) {
    return complete(plan).map(Condition::reason).orElse("");
  }

  private static Optional<Condition> complete(VolumePlan plan) {
    return Condition.find(plan.status().conditions(), VolumeConditions.REPLICAS_COMPLETE);
  }

  private static VolumeSettings wait(Duration wait) {
    VolumeSettings d = VolumeSettings.DEFAULT;
    return new VolumeSettings(
        d.scheduler(), wait, d.rebuildsPerNode(), d.autoBalance(), 0, false, Duration.ZERO);
  }

  @Test
  void aVolumeWithAllItsReplicasIsLeftAlone() {
    VolumePlan plan = ReplicaSets.of(3, "RW", "RW", "RW").plan();
    assertNothingMoves(plan);
    assertThat(plan.status().robustness()).isEqualTo(Robustness.HEALTHY);
    assertThat(plan.status().lastDegradedAt()).isEmpty();
  }

  @Test
  void aReplicaThatFailedComesBackBeforeANewOneIsMade() {
    VolumePlan plan = ReplicaSets.of(3, "RW", "RW", "FAILED").plan();
    assertThat(plan.newReplicas()).isEmpty();
    assertThat(engineSpec(plan).rebuildReplica()).isEqualTo("r3");
    assertThat(engineSpec(plan).rebuildAttempt()).isEqualTo(1);
    assertThat(plan.replicas())
        .filteredOn(r -> r.name().equals("r3"))
        .allMatch(r -> r.spec().failedAt().isEmpty() && r.spec().lastFailedAt().isPresent());
    assertThat(plan.status().robustness()).isEqualTo(Robustness.DEGRADED);
    assertThat(plan.status().lastDegradedAt()).contains(NOW);
  }

  @ParameterizedTest(name = "{0} failures, the last {1} s ago: {2}")
  @CsvSource({
    "0, 0, comes back",
    "1, 5, waits",
    "1, 11, comes back",
    "2, 15, waits",
    "2, 21, comes back",
    "4, 79, waits",
    "4, 81, comes back",
    "4, -3600, comes back",
    "5, 9999, is replaced",
  })
  void retriesArePacedAndEnd(int retries, int secondsAgo, String outcome) {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "RW")
            .failed("r3", NOW.minusSeconds(secondsAgo), retries)
            .plan();
    boolean back = plan.engine().filter(e -> e.spec().rebuildReplica().equals("r3")).isPresent();
    assertThat(back).isEqualTo(outcome.equals("comes back"));
    if (outcome.equals("waits")) {
      assertNothingMoves(plan);
      assertThat(why(plan)).isEqualTo("WaitingForReplica");
      assertThat(plan.again()).isPresent();
    }
    if (outcome.equals("is replaced")) {
      assertThat(plan.deleted()).extracting(Replica::name).containsExactly("r3");
    }
  }

  @Test
  void replicaOfASilentNodeIsAwaitedAndThenReplacedButNotDeleted() {
    ReplicaSets set =
        ReplicaSets.of(3, "RW", "RW", "FAILED")
            .silent("n3")
            .status(s -> s.withLastDegradedAt(Optional.of(NOW.minusSeconds(500))));
    VolumePlan waits = set.plan();
    assertNothingMoves(waits);
    assertThat(why(waits)).isEqualTo("WaitingForReplica");
    assertThat(complete(waits).map(Condition::message).orElse(""))
        .contains("replica r3 on node n3");
    assertThat(waits.again()).contains(Duration.ofSeconds(100));
    VolumePlan replaced = set.settings(wait(Duration.ofSeconds(499))).plan();
    assertThat(replaced.newReplicas()).hasSize(1);
    assertThat(replaced.deleted()).isEmpty();
  }

  @Test
  void oneReplicaIsMadeAtATimeAndRebuiltOnceItIsThere() {
    VolumePlan plan = ReplicaSets.of(3, "RW").plan();
    assertThat(plan.newReplicas()).hasSize(1);
    assertThat(plan.newReplicas().get(0).spec().nodeID()).isIn("n2", "n3");
    assertThat(plan.engine()).isEmpty();
    assertThat(plan.newReplicas()).isEqualTo(ReplicaSets.of(3, "RW").plan().newReplicas());
    VolumePlan waits = ReplicaSets.of(3, "RW", "NEW").unprovisioned("r2", NOW).plan();
    assertNothingMoves(waits);
    assertThat(why(waits)).isEqualTo("ReplicaNotReady");
    VolumePlan rebuilt = ReplicaSets.of(3, "RW", "NEW").plan();
    assertThat(rebuilt.newReplicas()).isEmpty();
    assertThat(engineSpec(rebuilt).rebuildReplica()).isEqualTo("r2");
  }

  @Test
  void aReplicaThatCannotBeMadeGivesWayToAnother() {
    VolumePlan plan = ReplicaSets.of(3, "RW", "NEW").unprovisioned("r2", LONG_AGO).plan();
    assertThat(plan.deleted()).extracting(Replica::name).containsExactly("r2");
  }

  @Test
  void whileOneIsRebuiltNothingElseMoves() {
    VolumePlan plan =
        ReplicaSets.of(4, "RW", "RW", "WO", "FAILED")
            .rebuilding("r3", Optional.of(RebuildState.IN_PROGRESS))
            .plan();
    assertThat(plan.newReplicas()).isEmpty();
    assertThat(plan.engine()).isEmpty();
    assertThat(why(plan)).isEqualTo("Rebuilding");
  }

  @Test
  void aRebuildThatIsDoneIsForgotten() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "RW")
            .rebuilding("r3", Optional.of(RebuildState.COMPLETE))
            .plan();
    assertThat(engineSpec(plan).rebuildReplica()).isEmpty();
    assertThat(engineSpec(plan).rebuildAttempt()).isEqualTo(7);
  }

  @Test
  void waitOfAReplicaThatIsCurrentAgainStartsAgain() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "RW")
            .with("r3", s -> s.withLastFailedAt(Optional.of(NOW)).withRebuildRetryCount(3))
            .plan();
    assertThat(plan.replicas()).extracting(Replica::name).containsExactly("r3");
    assertThat(plan.replicas().get(0).spec().rebuildRetryCount()).isZero();
    assertThat(plan.replicas().get(0).spec().lastHealthyAt().orElseThrow()).isAfter(NOW);
  }

  @Test
  void aRebuildThatFailedIsNotedAndTakenBack() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "ERR")
            .rebuilding("r3", Optional.of(RebuildState.ERROR))
            .plan();
    assertThat(plan.replicas()).extracting(Replica::name).containsExactly("r3");
    assertThat(plan.replicas().get(0).spec().failedAt()).contains(NOW);
    assertThat(plan.replicas().get(0).spec().rebuildRetryCount()).isEqualTo(1);
    assertThat(engineSpec(plan).rebuildReplica()).isEmpty();
  }

  @Test
  void anErrorOfAnEarlierAttemptIsIgnored() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "ERR")
            .rebuilding("r3", Optional.of(RebuildState.ERROR))
            .engine(s -> s.withRebuildAttempt(8))
            .plan();
    assertThat(plan.replicas()).isEmpty();
    assertThat(plan.engine()).isEmpty();
  }

  @Test
  void aReplicaThatIsAboutToBeRebuiltIsNotGivenUpForNotBeingCurrent() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "ERR").rebuilding("r3", Optional.empty()).plan();
    assertThat(plan.replicas()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"unacknowledged", "expanding", "migrating", "deleting one", "salvage"})
  void nothingIsDecidedDuringAnotherChange(String what) {
    ReplicaSets set = ReplicaSets.of(3, "RW", "RW", "RW").failed("r3", LONG_AGO, 0);
    switch (what) {
      case "unacknowledged" -> set.observed(s -> s.withObservedGeneration(-1));
      case "expanding" -> set.observed(s -> s.withCurrentSize(Quantity.parse("512Mi")));
      case "migrating" -> set.spec(s -> s.withMigrationNodeID("n2"));
      case "deleting one" -> set.deleting("r2");
      default ->
          set.spec(
              s ->
                  s.withSalvage(
                      new dev.holdfast.resource.volume.SalvageRequest("x", List.of("r1"))));
    }
    assertNothingMoves(set.plan());
  }

  @Test
  void withoutTheAbilityNothingIsTriedAndThatIsSaid() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "FAILED").capabilities("REMOTE_REPLICAS").plan();
    assertNothingMoves(plan);
    assertThat(why(plan)).isEqualTo("RebuildUnsupported");
    VolumePlan surplus = ReplicaSets.of(2, "RW", "RW", "RW").capabilities("REBUILD").plan();
    assertNothingMoves(surplus);
    assertThat(why(surplus)).isEqualTo("SurplusKept");
  }

  @Test
  void aNodeRebuildsOnlySoManyReplicasAtATime() {
    VolumePlan plan = ReplicaSets.of(3, "RW", "RW", "FAILED").rebuildsElsewhere("n3", 5).plan();
    assertNothingMoves(plan);
    assertThat(why(plan)).isEqualTo("RebuildLimitReached");
    assertThat(plan.again()).isPresent();
    assertThat(
            engineSpec(ReplicaSets.of(3, "RW", "RW", "FAILED").rebuildsElsewhere("n3", 4).plan())
                .rebuildReplica())
        .isEqualTo("r3");
  }

  @ParameterizedTest(name = "{0} min old, current {1}: {2}")
  @CsvSource({
    "2881, RW, deleted",
    "2879, RW, kept",
    "2881, ERR, kept",
    "2881, WO, kept",
  })
  void aStaleReplicaGoesOnlyWhileAnotherIsCurrent(int age, String other, String outcome) {
    VolumePlan plan =
        ReplicaSets.of(1, other, "RW").failed("r2", NOW.minus(Duration.ofMinutes(age)), 0).plan();
    assertThat(plan.deleted())
        .extracting(Replica::name)
        .isEqualTo(outcome.equals("deleted") ? List.of("r2") : List.of());
  }

  @Test
  void aCurrentReplicaOfASilentNodeDoesNotDeleteAnother() {
    VolumePlan plan =
        ReplicaSets.of(1, "RW", "RW")
            .failed("r2", LONG_AGO.minusSeconds(999_999), 0)
            .silent("n1")
            .plan();
    assertThat(plan.deleted()).isEmpty();
  }

  @Test
  void aReplicaThatFailedAfterItWasCurrentIsNotTrusted() {
    ReplicaSets set = ReplicaSets.of(1, "RW", "RW").failed("r2", LONG_AGO.minusSeconds(999_999), 0);
    VolumeView doubtful =
        set.with("r1", s -> s.withLastFailedAt(Optional.of(NOW.plusSeconds(9)))).view();
    assertThat(new DeletionGuard(doubtful).mayDelete(doubtful.replicas().get(1))).isFalse();
  }

  @Test
  void fewerReplicasAreHadByTakingOneOutFirst() {
    VolumePlan plan = ReplicaSets.of(2, "RW", "RW", "RW").plan();
    assertThat(plan.deleted()).isEmpty();
    assertThat(engineSpec(plan).removedReplicas()).containsExactly("r3");
    VolumePlan still =
        ReplicaSets.of(2, "RW", "RW", "RW")
            .engine(s -> s.withRemovedReplicas(List.of("r3")))
            .plan();
    assertThat(still.deleted()).isEmpty();
    VolumePlan out =
        ReplicaSets.of(2, "RW", "RW", "ERR")
            .engine(s -> s.withRemovedReplicas(List.of("r3")))
            .plan();
    assertThat(out.deleted()).extracting(Replica::name).containsExactly("r3");
    VolumePlan gone =
        ReplicaSets.of(2, "RW", "RW").engine(s -> s.withRemovedReplicas(List.of("r3"))).plan();
    assertThat(engineSpec(gone).removedReplicas()).isEmpty();
  }

  @Test
  void aRemovalIsTakenBackWhenTheReplicaIsNeededAfterAll() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "RW")
            .engine(s -> s.withRemovedReplicas(List.of("r3")))
            .plan();
    assertThat(engineSpec(plan).removedReplicas()).isEmpty();
    assertThat(plan.deleted()).isEmpty();
  }

  @Test
  void surplusThatWasNeverCurrentGoesAtOnce() {
    VolumePlan plan = ReplicaSets.of(2, "RW", "RW", "NEW").plan();
    assertThat(plan.deleted()).extracting(Replica::name).containsExactly("r3");
  }

  @Test
  void aReplicaLeavesItsNodeOnlyAfterAnotherIsCurrent() {
    VolumePlan made = ReplicaSets.of(2, "RW", "RW").evicted("n2").plan();
    assertThat(made.newReplicas()).extracting(r -> r.spec().nodeID()).containsExactly("n3");
    assertThat(made.replicas())
        .extracting(r -> r.name() + " " + r.spec().evictionRequested())
        .containsExactly("r2 true");
    VolumePlan left = ReplicaSets.of(2, "RW", "RW", "RW").evicted("n2").plan();
    assertThat(engineSpec(left).removedReplicas()).containsExactly("r2");
    assertThat(ReplicaSets.of(2, "RW", "RW", "NEW").evicted("n2").plan().deleted()).isEmpty();
  }

  @Test
  void aNewReplicaOnADiskThatIsLeftGoesAtOnceUnlessItIsBeingRebuilt() {
    VolumePlan plan = ReplicaSets.of(2, "RW", "RW", "NEW").evicted("n3").plan();
    assertThat(plan.deleted()).extracting(Replica::name).containsExactly("r3");
    VolumePlan kept =
        ReplicaSets.of(2, "RW", "RW", "WO")
            .with("r3", s -> s.withHealthyAt(Optional.empty()))
            .rebuilding("r3", Optional.of(RebuildState.IN_PROGRESS))
            .evicted("n3")
            .plan();
    assertThat(kept.deleted()).isEmpty();
  }

  @Test
  void aReplicaLeavesADiskForAnotherOfTheSameNode() {
    VolumePlan plan = ReplicaSets.of(3, "RW", "RW", "RW").evicted("n2", "disk-1").plan();
    assertThat(plan.newReplicas())
        .extracting(r -> r.spec().nodeID() + "/" + r.spec().diskID())
        .containsExactly("n2/disk-2");
  }

  @Test
  void evictionThatHasNoPlaceToGoSaysSo() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "RW")
            .evicted("n2")
            .spec(
                s ->
                    s.withReplicaSoftAntiAffinity(
                        dev.holdfast.resource.volume.SettingOverride.DISABLED))
            .plan();
    assertNothingMoves(plan);
    assertThat(why(plan)).isEqualTo("TooFewDisks");
  }

  @Test
  void aReplicaOfADeletedNodeIsReplacedAtOnceAndLetGo() {
    VolumePlan replaced = ReplicaSets.of(3, "RW", "RW", "FAILED").gone("n3").plan();
    assertThat(replaced.deleted()).extracting(Replica::name).containsExactly("r3");
    VolumePlan released = ReplicaSets.of(3, "RW", "RW", "FAILED").gone("n3").deleting("r3").plan();
    assertThat(released.released()).extracting(Replica::name).containsExactly("r3");
    VolumePlan kept = ReplicaSets.of(3, "RW", "RW", "FAILED").silent("n3").deleting("r3").plan();
    assertThat(kept.released()).isEmpty();
  }

  @Test
  void aFailedReplicaDoesNotComeBackToADiskThatAnotherTook() {
    VolumePlan plan = ReplicaSets.of(3, "RW", "RW", "FAILED").at("r3", "n2", "disk-1").plan();
    assertThat(plan.engine()).isEmpty();
    assertThat(plan.newReplicas()).hasSize(1);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "DISABLED, stays",
    "LEAST_EFFORT, moves",
    "BEST_EFFORT, moves",
  })
  void crowdedReplicasMoveWhenThatIsWanted(AutoBalance balance, String outcome) {
    ReplicaSets set =
        ReplicaSets.of(2, "RW", "RW")
            .at("r2", "n1", "disk-2")
            .spec(s -> s.withReplicaAutoBalance(balance));
    assertThat(set.plan().newReplicas()).hasSize(outcome.equals("moves") ? 1 : 0);
    ReplicaSets moved =
        ReplicaSets.of(2, "RW", "RW", "RW")
            .at("r2", "n1", "disk-2")
            .with("r2", s -> s.withLastHealthyAt(Optional.of(NOW)))
            .spec(s -> s.withReplicaAutoBalance(balance));
    assertThat(engineSpec(moved.plan()).removedReplicas()).containsExactly("r2");
  }

  @Test
  void aReplicaThatWasMadeForBalanceIsRebuiltAndNotTakenForSurplus() {
    VolumePlan plan =
        ReplicaSets.of(2, "RW", "RW", "NEW")
            .at("r2", "n1", "disk-2")
            .spec(s -> s.withReplicaAutoBalance(AutoBalance.LEAST_EFFORT))
            .plan();
    assertThat(plan.deleted()).isEmpty();
    assertThat(engineSpec(plan).rebuildReplica()).isEqualTo("r3");
  }

  @Test
  void nothingMovesForBalanceAfterAMoveFailed() {
    VolumePlan plan =
        ReplicaSets.of(2, "RW", "RW", "FAILED")
            .at("r2", "n1", "disk-2")
            .spec(s -> s.withReplicaAutoBalance(AutoBalance.LEAST_EFFORT))
            .plan();
    assertNothingMoves(plan);
  }

  @Test
  void nothingMovesForBalanceWhileAReplicaIsMissing() {
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "NEW")
            .at("r2", "n1", "disk-2")
            .spec(s -> s.withReplicaAutoBalance(AutoBalance.LEAST_EFFORT))
            .plan();
    assertThat(plan.newReplicas()).isEmpty();
    assertThat(engineSpec(plan).rebuildReplica()).isEqualTo("r3");
  }

  @Test
  void dataComesToTheNodeThatUsesItWhenThatIsWanted() {
    ReplicaSets set =
        ReplicaSets.of(2, "RW", "RW")
            .at("r1", "n3", "disk-1")
            .spec(s -> s.withDataLocality(DataLocality.BEST_EFFORT));
    assertThat(set.plan().newReplicas()).extracting(r -> r.spec().nodeID()).containsExactly("n1");
    ReplicaSets three =
        ReplicaSets.of(2, "RW", "RW", "RW").spec(s -> s.withDataLocality(DataLocality.BEST_EFFORT));
    assertThat(engineSpec(three.plan()).removedReplicas()).doesNotContain("r1");
  }

  @Test
  void theRateOfRebuildsIsTheVolumesOrElseTheSettings() {
    VolumeSettings d = VolumeSettings.DEFAULT;
    VolumeSettings limited =
        new VolumeSettings(
            d.scheduler(), d.replenishmentWait(), 5, d.autoBalance(), 1000, false, Duration.ZERO);
    ReplicaSets set = ReplicaSets.of(3, "RW", "RW", "RW").settings(limited);
    assertThat(engineSpec(set.plan()).rebuildBytesPerSecond()).isEqualTo(new Quantity(1000));
    set.spec(s -> s.withRebuildBytesPerSecond(new Quantity(77)));
    assertThat(engineSpec(set.plan()).rebuildBytesPerSecond()).isEqualTo(new Quantity(77));
  }

  @Test
  void whetherTrimsGiveSnapshotsUpIsTheVolumesOrElseTheSettings() {
    VolumeSettings d = VolumeSettings.DEFAULT;
    VolumeSettings removing =
        new VolumeSettings(
            d.scheduler(), d.replenishmentWait(), 5, d.autoBalance(), 0, true, Duration.ZERO);
    ReplicaSets set = ReplicaSets.of(3, "RW", "RW", "RW").settings(removing);
    assertThat(engineSpec(set.plan()).unmapMarkSnapChainRemoved()).isTrue();
    set.spec(s -> s.withUnmapMarkSnapChainRemoved(SettingOverride.DISABLED));
    assertThat(set.plan().engine()).isEmpty();
    set.settings(d).spec(s -> s.withUnmapMarkSnapChainRemoved(SettingOverride.ENABLED));
    assertThat(engineSpec(set.plan()).unmapMarkSnapChainRemoved()).isTrue();
  }

  @Test
  void anEngineThatHasNotAnsweredYetLeavesTheVolumeAsItWas() {
    Instant since = NOW.minusSeconds(99);
    VolumePlan plan =
        ReplicaSets.of(3, "RW", "RW", "FAILED")
            .status(
                s ->
                    s.withRobustness(Robustness.DEGRADED)
                        .withLastDegradedAt(Optional.of(since))
                        .withEndpoint("nbd://n1/v"))
            .observed(s -> s.withObservedGeneration(-1))
            .plan();
    assertThat(plan.status().robustness()).isEqualTo(Robustness.DEGRADED);
    assertThat(plan.status().lastDegradedAt()).contains(since);
    assertThat(plan.status().endpoint()).isEqualTo("nbd://n1/v");
  }

  /** The disk of r2 is absent, so the data there stays until the disk returns or is removed. */
  @Test
  void replicaThatCannotBeRemovedIsReplaced() {
    ReplicaSets set = ReplicaSets.of(2, "RW", "FAILED");

    assertNothingMoves(set.deleting("r2").plan());
    assertNothingMoves(set.removalBlocked("r2", Replica.VOLUME_NEEDS_REPLICA_REASON).plan());
    VolumePlan plan = set.removalBlocked("r2", "DiskAbsent").plan();

    assertThat(plan.newReplicas()).hasSize(1);
    assertThat(plan.deleted()).isEmpty();
  }
}
