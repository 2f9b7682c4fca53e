package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.VolumeState;
import org.junit.jupiter.api.Test;

/** A volume that moves in use, step by step, with each possible failure. */
class MigrationRulesTest {

  private static Case inUse() {
    return Case.attached("n1").rwx(true).csi("t1", "n1");
  }

  private static Case moving(boolean reached) {
    return inUse().csi("t2", "n2").migrating("n2", reached);
  }

  @Test
  void aSecondPodPreparesTheMove() {
    Case.Outcome outcome = inUse().csi("t2", "n2").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.target()).isEqualTo("n2");
    assertThat(outcome.of("t1")).isEqualTo("+Attached");
    assertThat(outcome.of("t2")).isEqualTo("Migrating");
  }

  @Test
  void vector11ATargetThatIsNotReadyOrNotThereIsNotPrepared() {
    Case.Outcome unready = inUse().csi("t2", "n2").notReady("n2").decide();
    assertThat(unready.target()).isEmpty();
    assertThat(unready.of("t2")).isEqualTo("NodeNotReady");
    assertThat(unready.of("t1")).isEqualTo("+Attached");
    Case.Outcome gone = inUse().csi("t2", "n2").gone("n2").decide();
    assertThat(gone.target()).isEmpty();
    assertThat(gone.of("t2")).isEqualTo("NodeNotFound");
  }

  @Test
  void onlyPodsOfAMigratableVolumePrepareAMove() {
    assertThat(Case.attached("n1").csi("t1", "n1").csi("t2", "n2").decide().target()).isEmpty();
    assertThat(inUse().ticket("a", "api", "n2", "false").decide().target()).isEmpty();
    assertThat(inUse().ticket("s", "snapshot-controller", "n2", "any").decide().target()).isEmpty();
    Case.Outcome heldByAPerson =
        Case.attached("n1").rwx(true).ticket("a", "api", "n1", "false").csi("t", "n2").decide();
    assertThat(heldByAPerson.target()).isEmpty();
    assertThat(heldByAPerson.of("t")).isEqualTo("OtherNode");
  }

  @Test
  void aSnapshotsTicketTakesNoSlotOfTheMove() {
    Case.Outcome outcome =
        inUse().csi("t2", "n2").ticket("s", "snapshot-controller", "n3", "any").decide();
    assertThat(outcome.target()).isEqualTo("n2");
  }

  @Test
  void withThreePodsTheTargetIsAmbiguousAndAllTicketsReportIt() {
    Case.Outcome outcome = inUse().csi("t2", "n2").csi("t3", "n3").decide();
    assertThat(outcome.target()).isEmpty();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("t1")).isEqualTo("+Attached");
    assertThat(outcome.of("t2")).isEqualTo("MigrationAmbiguous");
    assertThat(outcome.message("t3")).contains("n2, n3");
  }

  @Test
  void volumeDoesNotMigrateWhileItIsACloneSourceOrTarget() {
    assertThat(inUse().usableCopy("n1").csi("t2", "n2").decide().target()).isEmpty();
    String cloning = "volume-clone-controller";
    assertThat(inUse().ticket("c", cloning, "n1", "any").csi("t2", "n2").decide().target())
        .isEmpty();
  }

  @Test
  void volumeDoesNotMigrateBeforeItIsAttached() {
    assertThat(inUse().state(VolumeState.ATTACHING, "").csi("t2", "n2").decide().target())
        .isEmpty();
  }

  @Test
  void theTargetIsSatisfiedWhenItWasSeenReady() {
    Case.Outcome outcome = moving(true).decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.target()).isEqualTo("n2");
    assertThat(outcome.of("t1")).isEqualTo("+Attached");
    assertThat(outcome.of("t2")).isEqualTo("+ReadyToMigrate");
  }

  @Test
  void migrationTargetReportsWhyItIsNotReady() {
    Case.Outcome outcome =
        moving(false)
            .condition(
                "Migration",
                Condition.Status.FALSE,
                "MigrationUnsupported",
                "engine sparse cannot serve on two nodes")
            .decide();
    assertThat(outcome.of("t2")).isEqualTo("Migrating");
    assertThat(outcome.message("t2")).contains("cannot serve on two nodes");
    assertThat(moving(true).notReady("n2").decide().of("t2")).isEqualTo("NodeNotReady");
  }

  @Test
  void removalOfTheSourceTicketFirstConfirms() {
    Case.Outcome outcome =
        Case.attached("n1").rwx(true).csi("t2", "n2").migrating("n2", true).decide();
    assertThat(outcome.node()).isEqualTo("n2");
    assertThat(outcome.target()).isEmpty();
  }

  @Test
  void aConfirmedMoveIsSatisfiedBeforeTheStatusCatchesUp() {
    Case.Outcome outcome =
        Case.attached("n1").rwx(true).csi("t2", "n2").arrived("n2").wantedAt("n2").decide();
    assertThat(outcome.node()).isEqualTo("n2");
    assertThat(outcome.of("t2")).isEqualTo("+Attached");
  }

  @Test
  void removalOfTheTargetTicketFirstRollsBack() {
    Case.Outcome outcome = inUse().migrating("n2", true).decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.target()).isEmpty();
    assertThat(outcome.of("t1")).isEqualTo("+Attached");
  }

  @Test
  void removalOfBothTicketsRollsBackAndThenDetaches() {
    Case.Outcome first = Case.attached("n1").rwx(true).migrating("n2", true).decide();
    assertThat(first.node()).isEqualTo("n1");
    assertThat(first.target()).isEmpty();
    Case.Outcome second = Case.attached("n1").rwx(true).arrived("n2").decide();
    assertThat(second.node()).isEmpty();
  }

  @Test
  void targetThatWasNeverReadyIsReachedByDetachAndAttach() {
    Case.Outcome outcome =
        Case.attached("n1").rwx(true).csi("t2", "n2").migrating("n2", false).decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.target()).isEmpty();
    assertThat(outcome.of("t2")).isEqualTo("Detaching");
  }

  @Test
  void silentTargetIsAwaitedAndADeletedOneIsNot() {
    Case.Outcome lost =
        Case.attached("n1").rwx(true).csi("t2", "n2").migrating("n2", true).lost("n2").decide();
    assertThat(lost.node()).isEqualTo("n1");
    assertThat(lost.target()).isEqualTo("n2");
    assertThat(lost.of("t2")).isEqualTo("NodeNotReady");
    Case.Outcome gone =
        Case.attached("n1").rwx(true).csi("t2", "n2").migrating("n2", true).gone("n2").decide();
    assertThat(gone.node()).isEmpty();
    assertThat(gone.target()).isEmpty();
  }

  @Test
  void silentSourceIsLeftWhenItsTicketIsRemoved() {
    Case.Outcome waiting = moving(true).lost("n1").decide();
    assertThat(waiting.node()).isEqualTo("n1");
    assertThat(waiting.of("t1")).isEqualTo("NodeNotReady");
    Case.Outcome leaving =
        Case.attached("n1").rwx(true).csi("t2", "n2").migrating("n2", true).lost("n1").decide();
    assertThat(leaving.node()).isEqualTo("n2");
  }

  @Test
  void targetThatLostItsSourceIsAwaitedOnlyWhileTheSourceMayReturn() {
    Case both = Case.attached("n1").rwx(true).csi("t2", "n2").migrating("n2", false).joined("n2");
    assertThat(both.decide().node()).as("its container starts again").isEqualTo("n1");
    assertThat(both.lost("n1").decide().node()).as("opens it itself").isEqualTo("n2");
    assertThat(both.notReady("n2").decide().node()).isEqualTo("n1");
  }

  @Test
  void aFaultedVolumeStopsMoving() {
    Case.Outcome outcome = moving(true).robustness(Robustness.FAULTED).decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.target()).isEmpty();
  }

  @Test
  void aLeftoverTargetOfADetachedVolumeIsClearedBeforeItIsAttached() {
    Case.Outcome outcome =
        Case.detached().rwx(true).csi("t2", "n2").migrating("n2", false).decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.target()).isEmpty();
    Case stale = Case.detached().rwx(true).csi("t2", "n2").arrived("n2");
    assertThat(stale.decide().node()).isEmpty();
  }

  @Test
  void aCrashedMoveIsNotDecidedByGuessing() {
    Case.Outcome outcome = Case.detached().rwx(true).csi("t1", "n1").csi("t2", "n2").decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.of("t1")).isEqualTo("MigrationAmbiguous");
    assertThat(outcome.of("t2")).isEqualTo("MigrationAmbiguous");
    assertThat(Case.detached().rwx(true).csi("t2", "n2").decide().node()).isEqualTo("n2");
  }

  @Test
  void whileItMovesNoWorkloadInterruptsAndNoMaintenanceHolds() {
    Case.Outcome outcome = moving(true).ticket("a", "api", "n3", "false").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("a")).isEqualTo("OtherNode");
  }
}
