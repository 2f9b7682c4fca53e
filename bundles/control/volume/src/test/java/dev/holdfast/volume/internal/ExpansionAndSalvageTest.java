package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Expansion of a volume, and the path of a user's salvage to its engine. */
class ExpansionAndSalvageTest {
  private static final Quantity BIG = Quantity.parse("2Gi");
  private static final Quantity SMALL = Quantity.parse("1Gi");

  private static ReplicaSets growing() {
    return ReplicaSets.of(2, "RW", "RW").spec(s -> s.withSize(BIG));
  }

  private static EngineSpec engineSpec(VolumePlan plan) {
    return plan.engine().orElseThrow().spec();
  }

  private static Optional<Condition> condition(VolumePlan plan, String type) {
    return Condition.find(plan.status().conditions(), type);
  }

  @Test
  void aVolumeThatShallGrowTellsItsPartsAndShowsBothSizes() {
    VolumePlan plan = growing().plan();
    assertThat(engineSpec(plan).size()).isEqualTo(BIG);
    assertThat(plan.replicas()).hasSize(2).allMatch(r -> r.spec().size().equals(BIG));
    assertThat(plan.status().currentSize()).isEqualTo(SMALL);
    assertThat(plan.status().expansionRequired()).isTrue();
    assertThat(condition(plan, VolumeConditions.EXPANDED).orElseThrow().reason())
        .isEqualTo("Expanding");
  }

  @Test
  void aVolumeThatGrewSaysSo() {
    VolumePlan plan =
        growing().engine(s -> s.withSize(BIG)).observed(s -> s.withCurrentSize(BIG)).plan();
    assertThat(plan.status().currentSize()).isEqualTo(BIG);
    assertThat(plan.status().expansionRequired()).isFalse();
    assertThat(condition(plan, VolumeConditions.EXPANDED)).isEmpty();
  }

  @Test
  void aDetachedVolumeThatShallGrowHasToBeAttached() {
    VolumePlan plan =
        growing()
            .spec(s -> s.withNodeID(""))
            .status(s -> s.withState(VolumeState.DETACHED).withCurrentNodeID(""))
            .engine(s -> s.withDesireState(DesireState.STOPPED))
            .observed(s -> s.withCurrentState(InstanceState.STOPPED))
            .plan();
    assertThat(plan.status().expansionRequired()).isTrue();
    assertThat(plan.status().state()).isEqualTo(VolumeState.DETACHED);
  }

  @Test
  void whyItCouldNotGrowIsToldAndHowToGiveUp() {
    VolumePlan plan =
        growing()
            .engine(s -> s.withSize(BIG))
            .observed(
                s ->
                    s.withConditions(
                        Condition.with(
                            List.of(),
                            "ExpansionFailed",
                            Condition.Status.TRUE,
                            "NoSpace",
                            "the disk of r2 is full",
                            Instant.EPOCH)))
            .plan();
    Condition told = condition(plan, VolumeConditions.EXPANDED).orElseThrow();
    assertThat(told.reason()).isEqualTo("ExpansionFailed");
    assertThat(told.message())
        .contains("keeps its size of 1Gi")
        .contains("the disk of r2 is full")
        .contains("set spec.size to 1Gi");
  }

  @Test
  void takingItBackTellsTheEngineToo() {
    VolumePlan plan = ReplicaSets.of(2, "RW", "RW").engine(s -> s.withSize(BIG)).plan();
    assertThat(engineSpec(plan).size()).isEqualTo(SMALL);
    assertThat(plan.spec()).isEmpty();
  }

  @Test
  void takingItBackTooLateKeepsTheSizeThatTheDeviceHas() {
    VolumePlan plan =
        ReplicaSets.of(2, "RW", "RW")
            .engine(s -> s.withSize(BIG))
            .observed(s -> s.withCurrentSize(BIG))
            .plan();
    assertThat(plan.spec().orElseThrow().size()).isEqualTo(BIG);
    assertThat(plan.notes())
        .extracting(VolumePlan.Note::reason)
        .containsExactly("ExpansionNotTakenBack");
    plan.engine().ifPresent(engine -> assertThat(engine.spec().size()).isEqualTo(BIG));
  }

  @Test
  void anEngineThatCannotGrowIsNotAsked() {
    VolumePlan plan = growing().capabilities("REBUILD").plan();
    plan.engine().ifPresent(engine -> assertThat(engine.spec().size()).isEqualTo(SMALL));
    assertThat(plan.status().expansionRequired()).isFalse();
    assertThat(condition(plan, VolumeConditions.EXPANDED).orElseThrow().reason())
        .isEqualTo("ExpansionUnsupported");
  }

  private static ReplicaSets closed() {
    return ReplicaSets.of(2, "RW", "RW")
        .status(s -> s.withState(VolumeState.ATTACHING).withCurrentNodeID(""))
        .observed(
            s ->
                s.withCurrentState(InstanceState.ERROR)
                    .withConditions(
                        Condition.with(
                            List.of(),
                            "Ready",
                            Condition.Status.FALSE,
                            "Unreachable",
                            "replica r2 is needed",
                            Instant.EPOCH)));
  }

  private static SalvageRequest request(String... replicas) {
    return new SalvageRequest("s1", List.of(replicas));
  }

  @Test
  void aVolumeThatCannotBeOpenedSaysWhatIsMissingAndWhatAPersonMayDo() {
    Condition told = condition(closed().plan(), VolumeConditions.ENGINE_READY).orElseThrow();
    assertThat(told.message())
        .startsWith("replica r2 is needed; bring back what is missing, or declare")
        .contains("holdfast volume salvage v --replica NAME");
  }

  @Test
  void aSalvageReachesTheEngineWithReplicasThatWereGivenUp() {
    VolumePlan plan =
        closed().failed("r2", Instant.EPOCH, 5).spec(s -> s.withSalvage(request("r2"))).plan();
    assertThat(engineSpec(plan).salvage()).isEqualTo(request("r2"));
    assertThat(plan.replicas())
        .filteredOn(r -> r.name().equals("r2"))
        .allMatch(r -> r.spec().failedAt().isEmpty());
    assertThat(plan.spec()).isEmpty();
  }

  @Test
  void aSalvageThatWasCarriedOutIsTakenBackAndTold() {
    VolumePlan plan =
        ReplicaSets.of(2, "RW", "RW")
            .spec(s -> s.withSalvage(request("r1")))
            .engine(s -> s.withSalvage(request("r1")))
            .observed(s -> s.withSalvaged("s1"))
            .plan();
    assertThat(plan.spec().orElseThrow().salvage().isEmpty()).isTrue();
    assertThat(engineSpec(plan).salvage().isEmpty()).isTrue();
    assertThat(plan.notes()).extracting(VolumePlan.Note::reason).containsExactly("Salvaged");
  }

  @Test
  void aVolumeInUseIsNotSalvagedLater() {
    VolumePlan plan = ReplicaSets.of(2, "RW", "RW").spec(s -> s.withSalvage(request("r1"))).plan();
    plan.engine().ifPresent(engine -> assertThat(engine.spec().salvage().isEmpty()).isTrue());
    assertThat(plan.spec().orElseThrow().salvage().isEmpty()).isTrue();
    assertThat(plan.notes()).extracting(VolumePlan.Note::reason).containsExactly("SalvageRefused");
  }

  @Test
  void aReplicaThatTheVolumeDoesNotHaveIsToldAndNothingIsDone() {
    VolumePlan plan =
        closed()
            .failed("r2", Instant.EPOCH, 5)
            .spec(s -> s.withSalvage(request("r2", "r9")))
            .plan();
    plan.engine().ifPresent(engine -> assertThat(engine.spec().salvage().isEmpty()).isTrue());
    assertThat(plan.replicas()).extracting(Replica::name).doesNotContain("r2");
    assertThat(condition(plan, VolumeConditions.SALVAGED).orElseThrow().message())
        .contains("[r9]")
        .contains("[r1, r2]");
  }
}
