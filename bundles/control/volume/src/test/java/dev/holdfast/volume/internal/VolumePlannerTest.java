package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes of one step: a table of cases. */
class VolumePlannerTest {
  private static final String ALL_RUN = "RUNNING RUNNING RUNNING";

  private static DesireState desired(VolumePlan plan) {
    return plan.engine().orElseThrow().spec().desireState();
  }

  @Test
  void aNewVolumeGetsItsPartsAndOpensNothing() {
    VolumePlan plan = Views.fresh().plan();
    assertThat(plan.newAttachment()).isPresent();
    assertThat(plan.newEngine()).isPresent();
    assertThat(plan.newEngine().get().spec().desireState()).isEqualTo(DesireState.STOPPED);
    assertThat(plan.newReplicas())
        .hasSize(3)
        .allMatch(replica -> replica.metadata().hasFinalizer(Replica.FINALIZER))
        .allMatch(replica -> replica.spec().desireState() == DesireState.STOPPED)
        .extracting(replica -> replica.spec().nodeID())
        .containsExactlyInAnyOrder("n1", "n2", "n3");
    assertThat(plan.status().state()).isEqualTo(VolumeState.CREATING);
  }

  @Test
  void theSamePartsAreNamedAgainAfterACrash() {
    assertThat(Views.fresh().plan().newReplicas()).isEqualTo(Views.fresh().plan().newReplicas());
  }

  @Test
  void withoutEnoughDisksNoReplicaIsMadeAndTheVolumeSaysWhy() {
    VolumePlan plan = new VolumePlanner().next(Views.fresh().on(List.of(Cluster.node("n1", 2))));
    assertThat(plan.newReplicas()).isEmpty();
    Condition scheduled =
        Condition.find(plan.status().conditions(), VolumeConditions.SCHEDULED).orElseThrow();
    assertThat(scheduled.status()).isEqualTo(Condition.Status.FALSE);
    assertThat(scheduled.reason()).isEqualTo("TooFewDisks");
  }

  @Test
  void aVolumeIsMadeWhenItsLastReplicaIs() {
    assertThat(Views.made(VolumeState.CREATING, "", "").unprovisioned(1).plan().status().state())
        .isEqualTo(VolumeState.CREATING);
    assertThat(Views.made(VolumeState.CREATING, "", "").plan().status().state())
        .isEqualTo(VolumeState.DETACHING);
  }

  @Test
  void aReplicaThatIsLostLaterIsNotMadeAgain() {
    VolumePlan plan =
        Views.made(VolumeState.DETACHED, "", "").replicas("STOPPED", "STOPPED").plan();
    assertThat(plan.newReplicas()).isEmpty();
  }

  @Test
  void replicasAreToldToRunBeforeTheEngine() {
    VolumePlan plan = Views.made(VolumeState.DETACHED, "n1", "").plan();
    assertThat(plan.status().state()).isEqualTo(VolumeState.ATTACHING);
    assertThat(plan.replicas())
        .hasSize(3)
        .allMatch(replica -> replica.spec().desireState() == DesireState.RUNNING);
    assertThat(plan.engine()).isEmpty();
  }

  @ParameterizedTest(name = "replicas {0}, not ready {1}: {2}")
  @CsvSource({
    "RUNNING RUNNING RUNNING, none, opens",
    "RUNNING RUNNING STOPPED, none, waits",
    "RUNNING RUNNING STARTING, none, waits",
    "RUNNING RUNNING UNKNOWN, none, waits",
    "RUNNING RUNNING STOPPED, n3, opens",
    "RUNNING RUNNING UNKNOWN, n3, opens",
    "RUNNING RUNNING STOPPED, n2, waits",
    "RUNNING ERROR ERROR, none, opens",
    "ERROR ERROR ERROR, none, waits",
    "STOPPED STOPPED STOPPED, n3, waits",
  })
  void theEngineOpensWhenNoReplicaThatCanComeIsMissing(
      String states, String unready, String outcome) {
    VolumePlan plan =
        Views.made(VolumeState.ATTACHING, "n1", "", unready).replicas(states.split(" ")).plan();
    assertThat(plan.engine().isPresent()).isEqualTo(outcome.equals("opens"));
    plan.engine()
        .ifPresent(
            engine -> {
              assertThat(engine.spec().desireState()).isEqualTo(DesireState.RUNNING);
              assertThat(engine.spec().nodeID()).isEqualTo("n1");
            });
  }

  @ParameterizedTest(name = "told {0} on {1}, is {2}, {3}: {4}")
  @CsvSource({
    "STOPPED, n2, STOPPED, acknowledged, RUNNING on n1",
    "STOPPED, n2, STOPPED, unacknowledged, unchanged",
    "STOPPED, n2, STOPPED, untaken, RUNNING on n1",
    "STOPPED, n2, RUNNING, acknowledged, unchanged",
    "STOPPED, n2, STOPPING, acknowledged, unchanged",
    "STOPPED, n2, UNKNOWN, acknowledged, unchanged",
    "STOPPED, n2, ERROR, acknowledged, unchanged",
    "STOPPED, n2, RUNNING, untaken, unchanged",
    "RUNNING, n2, RUNNING, acknowledged, STOPPED on n2",
    "RUNNING, n2, STOPPED, acknowledged, STOPPED on n2",
    "RUNNING, n1, STARTING, acknowledged, unchanged",
    "RUNNING, n1, STOPPED, unacknowledged, unchanged",
  })
  void anEngineIsOpenedOnlyWhenItIsKnownToBeClosedElsewhere(
      String told, String node, String state, String known, String outcome) {
    Views views =
        Views.made(VolumeState.ATTACHING, "n1", "")
            .replicas(ALL_RUN.split(" "))
            .engine(told, node, state);
    if (known.equals("unacknowledged")) {
      views.unacknowledged();
    } else if (known.equals("untaken")) {
      views.unacknowledged().untaken();
    }
    Optional<Engine> engine = views.plan().engine();
    assertThat(engine.map(e -> e.spec().desireState().name() + " on " + e.spec().nodeID()))
        .isEqualTo(Optional.of(outcome).filter(text -> !text.equals("unchanged")));
  }

  @Test
  void theEngineTakesOverWhetherThereIsAFrontendWhenItOpens() {
    Views views =
        Views.made(VolumeState.ATTACHING, "n1", "").withoutFrontend().replicas(ALL_RUN.split(" "));
    assertThat(views.plan().engine().orElseThrow().spec().disableFrontend()).isTrue();
  }

  @Test
  void anOpenedVolumeIsAttached() {
    VolumePlan plan =
        Views.made(VolumeState.ATTACHING, "n1", "")
            .replicas(ALL_RUN.split(" "))
            .engine("RUNNING", "n1", "RUNNING")
            .plan();
    assertThat(plan.status().state()).isEqualTo(VolumeState.ATTACHED);
    assertThat(plan.status().currentNodeID()).isEqualTo("n1");
    assertThat(plan.status().endpoint()).isEqualTo("nbd://n/v");
  }

  @ParameterizedTest(name = "told {0}, is {1}: {2}")
  @CsvSource({
    "RUNNING, RUNNING, run",
    "STOPPED, RUNNING, run",
    "STOPPED, STOPPING, run",
    "STOPPED, UNKNOWN, run",
    "STOPPED, STOPPED, stop",
  })
  void replicasStopOnlyAfterTheEngineHas(String told, String state, String outcome) {
    VolumePlan plan =
        Views.made(VolumeState.DETACHING, "", "n1")
            .replicas(ALL_RUN.split(" "))
            .engine(told, "n1", state)
            .plan();
    assertThat(plan.replicas()).hasSize(outcome.equals("stop") ? 3 : 0);
    assertThat(plan.replicas()).allMatch(r -> r.spec().desireState() == DesireState.STOPPED);
    assertThat(plan.status().state()).isEqualTo(VolumeState.DETACHING);
    assertThat(plan.status().currentNodeID()).isEqualTo("n1");
  }

  @Test
  void aVolumeThatIsToLeaveClosesItsEngineFirst() {
    VolumePlan plan =
        Views.made(VolumeState.ATTACHED, "", "n1")
            .replicas(ALL_RUN.split(" "))
            .engine("RUNNING", "n1", "RUNNING")
            .plan();
    assertThat(desired(plan)).isEqualTo(DesireState.STOPPED);
    assertThat(plan.replicas()).isEmpty();
  }

  private static VolumePlan attachedWith(ReplicaMode first, ReplicaMode second, ReplicaMode third) {
    return attached().modes(Map.of("r1", first, "r2", second, "r3", third)).plan();
  }

  private static Views attached() {
    Views views = Views.made(VolumeState.ATTACHED, "n1", "n1").replicas(ALL_RUN.split(" "));
    for (int i = 0; i < 3; i++) {
      views.replica(
          i,
          views
              .replica(i)
              .withHealthyAt(Optional.of(Instant.EPOCH))
              .withLastHealthyAt(Optional.of(Instant.EPOCH)));
    }
    return views.engine("RUNNING", "n1", "RUNNING");
  }

  @Test
  void aReplicaThatTheEngineGaveUpIsMarkedAndStops() {
    VolumePlan plan = attachedWith(ReplicaMode.RW, ReplicaMode.ERR, ReplicaMode.WO);
    assertThat(plan.replicas()).extracting(Replica::name).containsExactly("r2");
    ReplicaSpec marked = plan.replicas().get(0).spec();
    assertThat(marked.failedAt()).contains(Views.NOW);
    assertThat(marked.desireState()).isEqualTo(DesireState.STOPPED);
  }

  @Test
  void theLastReplicasAreNeverGivenUp() {
    assertThat(attachedWith(ReplicaMode.ERR, ReplicaMode.ERR, ReplicaMode.ERR).replicas())
        .isEmpty();
    assertThat(attachedWith(ReplicaMode.ERR, ReplicaMode.ERR, ReplicaMode.WO).replicas()).isEmpty();
  }

  @Test
  void whatAnEngineSaidBeforeItsPresentSpecMarksNothing() {
    Map<String, ReplicaMode> modes = Map.of("r1", ReplicaMode.RW, "r2", ReplicaMode.ERR);
    assertThat(attached().modes(modes).unacknowledged().plan().replicas()).isEmpty();
  }

  @Test
  void aReplicaThatIsCurrentForTheFirstTimeIsNoted() {
    Views views = attached().modes(Map.of("r1", ReplicaMode.RW));
    views.replica(0, views.replica(0).withHealthyAt(Optional.empty()));
    assertThat(views.plan().replicas())
        .extracting(replica -> replica.spec().healthyAt())
        .containsExactly(Optional.of(Views.NOW));
  }

  @ParameterizedTest(name = "{0}, wanted on \"{1}\", engine is {2}: {3} {4}")
  @CsvSource({
    "DETACHED, '', STOPPED, DELETING, kept",
    "DETACHING, '', STOPPED, DELETING, kept",
    "DETACHING, '', RUNNING, DETACHING, kept",
    "DELETING, '', STOPPED, DELETING, disposed of",
    "DELETING, '', RUNNING, DELETING, kept",
    "DELETING, '', UNKNOWN, DELETING, kept",
    "ATTACHED, n1, RUNNING, ATTACHED, kept",
  })
  void partsAreDisposedOfOnlyWhenTheVolumeIsClosedAndThatIsRecorded(
      VolumeState state, String wanted, String engine, VolumeState next, String parts) {
    VolumePlan plan =
        Views.made(state, wanted, wanted)
            .deleted()
            .engine(engine.equals("STOPPED") ? "STOPPED" : "RUNNING", "n1", engine)
            .plan();
    assertThat(plan.status().state()).isEqualTo(next);
    assertThat(plan.disposal()).isEqualTo(parts.equals("disposed of"));
  }

  @Test
  void whatACopyStillReadsFromIsNotDisposedOf() {
    Views deleted = Views.made(VolumeState.DETACHED, "", "").deleted();
    assertThat(deleted.plan().status().state()).isEqualTo(VolumeState.DELETING);
    assertThat(deleted.neededByACopy().plan().status().state()).isEqualTo(VolumeState.DETACHED);
  }

  @Test
  void aVolumeThatIsBeingDeletedMakesNoPartsAnyMore() {
    VolumePlan plan = Views.fresh().deleted().plan();
    assertThat(plan.newAttachment()).isEmpty();
    assertThat(plan.newEngine()).isEmpty();
    assertThat(plan.newReplicas()).isEmpty();
  }
}
