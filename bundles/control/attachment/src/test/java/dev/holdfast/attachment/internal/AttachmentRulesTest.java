package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The test vectors of attachment, with the deviations of this project, and further cases. */
class AttachmentRulesTest {

  @Test
  void vector1AttachesADetachedVolumeForItsOnlyTicket() {
    Case.Outcome outcome = Case.detached().csi("t", "n1").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("t")).isEqualTo("Attaching");
  }

  @Test
  void vector2TheHigherPriorityGetsADetachedVolume() {
    Case.Outcome outcome =
        Case.detached().ticket("s", "snapshot-controller", "n1", "any").csi("t", "n2").decide();
    assertThat(outcome.node()).isEqualTo("n2");
    assertThat(outcome.of("s")).isEqualTo("OtherNode");
    assertThat(outcome.of("t")).isEqualTo("Attaching");
  }

  @Test
  void vector3OfEqualTicketsTheFirstByTheAlphabetWins() {
    assertThat(Case.detached().csi("t-02", "n2").csi("t-01", "n1").decide().node()).isEqualTo("n1");
  }

  @Test
  void ofEqualTicketsTheShorterIdWinsBeforeTheAlphabet() {
    assertThat(Case.detached().csi("aaa", "n2").csi("zz", "n1").decide().node()).isEqualTo("n1");
  }

  @Test
  void vector4ATicketOfTheNodeThatIsAttachedIsSatisfied() {
    Case.Outcome outcome = Case.attached("n1").csi("t", "n1").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("t")).isEqualTo("+Attached");
  }

  @Test
  void vector5AnIncompatibleTicketWaitsWithAnyPriority() {
    Case.Outcome outcome =
        Case.attached("n1")
            .csi("t", "n1")
            .ticket("r", "volume-restore-controller", "n1", "true")
            .decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.frontendDisabled()).isFalse();
    assertThat(outcome.of("r")).isEqualTo("AttachedWithIncompatibleParameters");
    assertThat(outcome.of("t")).isEqualTo("+Attached");
  }

  @Test
  void vector6WithoutTicketsItDetaches() {
    Case.Outcome outcome = Case.attached("n1").decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.decision().status().attachmentTicketStatuses()).isEmpty();
  }

  @Test
  void vector7OneOfTwoTicketsIsEnough() {
    assertThat(Case.attached("n1").csi("t2", "n1").decide().node()).isEqualTo("n1");
  }

  @Test
  void vector8AnIncompatibleOnlyTicketDetachesAndIsNotSatisfiedBefore() {
    Case.Outcome outcome = Case.attachedWithoutFrontend("n1").csi("t", "n1").decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.frontendDisabled()).isFalse();
    assertThat(outcome.of("t")).isEqualTo("Detaching");
  }

  @Test
  void vector9ATicketThatMovesDetaches() {
    Case.Outcome outcome = Case.attached("n1").csi("t", "n2").decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.decision().status().attachmentTicketStatuses().get("t").generation())
        .isEqualTo(1);
  }

  @Test
  void vector10AWorkloadElsewhereInterruptsMaintenance() {
    Case.Outcome outcome = Case.attached("n1").backup("b", "n1").csi("t", "n2").decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.of("t")).isEqualTo("Detaching");
    assertThat(outcome.of("b")).isEqualTo("Detaching");
  }

  @Test
  void workloadThatCannotBeSelectedInterruptsNoTicket() {
    Case.Outcome outcome =
        Case.attached("n1").backup("b", "n1").csi("t", "n2").notReady("n2").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("b")).isEqualTo("+Attached");
  }

  @Test
  void maintenanceThatMustNotBeCutShortIsNotInterrupted() {
    Case.Outcome outcome =
        Case.attached("n1")
            .ticket("r", "volume-eviction-controller", "n1", "any")
            .backup("b", "n1")
            .csi("t", "n2")
            .decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("t")).isEqualTo("OtherNode");
  }

  @Test
  void urgentMaintenanceThatAWorkloadWouldInterruptIsNotSelected() {
    Case.Outcome outcome =
        Case.detached().ticket("m", Case.URGENT, "n1", "any").csi("pod", "n2").decide();
    assertThat(outcome.node()).isEqualTo("n2");
    Case.Outcome attached =
        Case.attached("n2").ticket("m", Case.URGENT, "n1", "any").csi("pod", "n2").decide();
    assertThat(attached.node()).isEqualTo("n2");
    assertThat(attached.of("m")).isEqualTo("OtherNode");
  }

  @Test
  void urgentMaintenanceIsSelectedWhereAnotherTicketHoldsTheVolumeAgainstAWorkload() {
    Case.Outcome outcome =
        Case.detached()
            .ticket("m", Case.URGENT, "n1", "any")
            .ticket("e", "volume-eviction-controller", "n1", "any")
            .csi("pod", "n2")
            .decide();
    assertThat(outcome.node()).isEqualTo("n1");
  }

  @Test
  void maintenanceOnAnotherNodeInterruptsNoTicket() {
    assertThat(Case.attached("n1").backup("b", "n1").backup("c", "n2").decide().node())
        .isEqualTo("n1");
  }

  @Test
  void priorityNeverTakesAVolumeFromItsNode() {
    Case.Outcome outcome =
        Case.attached("n1")
            .csi("t", "n1")
            .ticket("a", "api", "n2", "false")
            .ticket("r", "volume-restore-controller", "n2", "true")
            .decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("a")).isEqualTo("OtherNode");
    assertThat(outcome.of("r")).isEqualTo("OtherNode");
  }

  @Test
  void workloadJoinsMaintenanceOnTheSameNodeWithoutAnotherAttach() {
    Case.Outcome outcome = Case.attached("n1").backup("b", "n1").csi("t", "n1").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("t")).isEqualTo("+Attached");
    assertThat(outcome.of("b")).isEqualTo("+Attached");
  }

  @Test
  void anIncompatibleWorkloadOnTheSameNodeDoesNotInterrupt() {
    Case.Outcome outcome =
        Case.attachedWithoutFrontend("n1").backup("b", "n1").csi("t", "n1").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("t")).isEqualTo("AttachedWithIncompatibleParameters");
    assertThat(outcome.of("b")).isEqualTo("+Attached");
  }

  @Test
  void nothingIsAttachedUntilFullyDetached() {
    for (VolumeState state :
        List.of(VolumeState.ATTACHED, VolumeState.ATTACHING, VolumeState.DETACHING)) {
      Case.Outcome outcome = Case.detached().state(state, "").csi("t", "n2").decide();
      assertThat(outcome.node()).isEmpty();
      assertThat(outcome.of("t")).isEqualTo("Detaching");
    }
    assertThat(Case.detached().state(VolumeState.DETACHED, "n1").csi("t", "n2").decide().node())
        .isEmpty();
    Case.Outcome creating = Case.detached().state(VolumeState.CREATING, "").csi("t", "n2").decide();
    assertThat(creating.node()).isEmpty();
    assertThat(creating.of("t")).isEqualTo("Creating");
  }

  @Test
  void aTicketIsNotSatisfiedBeforeTheVolumeIsSeenThere() {
    Case.Outcome outcome =
        Case.attached("n1").state(VolumeState.ATTACHING, "").csi("t", "n1").decide();
    assertThat(outcome.of("t")).isEqualTo("Attaching");
  }

  @Test
  void aTicketIsNotSatisfiedBeforeTheFrontendIsSeenServing() {
    assertThat(
            Case.attached("n1").engine(InstanceState.RUNNING, "").csi("t", "n1").decide().of("t"))
        .isEqualTo("FrontendNotReady");
    assertThat(
            Case.attached("n1")
                .engine(InstanceState.STARTING, "nbd://n1")
                .csi("t", "n1")
                .decide()
                .of("t"))
        .isEqualTo("FrontendNotReady");
  }

  @Test
  void aFaultedVolumeIsDetachedAndNotAttached() {
    Case.Outcome leaving =
        Case.attached("n1").robustness(Robustness.FAULTED).csi("t", "n1").decide();
    assertThat(leaving.node()).isEmpty();
    assertThat(leaving.of("t")).isEqualTo("VolumeFaulted");
    Case.Outcome staying = Case.detached().robustness(Robustness.FAULTED).csi("t", "n1").decide();
    assertThat(staying.node()).isEmpty();
    assertThat(staying.of("t")).isEqualTo("VolumeFaulted");
  }

  @Test
  void volumeBeingDeletedIsNeitherMovedNorAttached() {
    assertThat(Case.attached("n1").deleting().csi("t", "n1").decide().of("t"))
        .isEqualTo("+Attached");
    Case.Outcome outcome = Case.detached().deleting().csi("t", "n1").decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.of("t")).isEqualTo("VolumeDeleting");
  }

  @Test
  void ticketOfATypeWithoutItsBundleStillHoldsAndReportsIt() {
    Case.Outcome outcome =
        Case.attached("n1").without("csi-attacher").csi("t", "n1").backup("b", "n1").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("t")).isEqualTo("+Attached");
    assertThat(outcome.condition("t", "AttacherAvailable").orElseThrow().reason())
        .isEqualTo("AttacherUnavailable");
    assertThat(outcome.condition("b", "AttacherAvailable")).isEmpty();
  }

  @Test
  void aTypeWithoutItsBundleKeepsHoldingAgainstAWorkloadElsewhere() {
    assertThat(
            Case.attached("n1")
                .without("backup-controller")
                .backup("b", "n1")
                .csi("t", "n2")
                .decide()
                .node())
        .isEqualTo("n1");
  }

  @Test
  void aTypeWithoutItsBundleIsNotNewlySelected() {
    Case.Outcome outcome = Case.detached().without("csi-attacher").csi("t", "n1").decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.of("t")).isEqualTo("AttacherUnavailable");
  }

  @Test
  void frontendIsSetByTheChosenTicket() {
    assertThat(
            Case.detached()
                .ticket("r", "volume-restore-controller", "n1", "true")
                .decide()
                .frontendDisabled())
        .isTrue();
    assertThat(Case.detached().backup("b", "n1").decide().frontendDisabled()).isFalse();
  }

  @Test
  void ticketOfInterruptibleMaintenanceReportsIt() {
    Case.Outcome copying =
        Case.attached("n1")
            .ticket("c", "volume-clone-controller", "n1", "any")
            .csi("t", "n2")
            .decide();
    Case.Outcome copied =
        Case.attached("n1")
            .interruptible("c", "volume-clone-controller", "n1")
            .csi("t", "n2")
            .decide();
    assertThat(copying.node()).isEqualTo("n1");
    assertThat(copied.node()).isEmpty();
  }

  @Test
  void aTicketCannotMakeAWorkloadInterruptible() {
    Case.Outcome outcome =
        Case.attached("n1").interruptible("a", "api", "n1").csi("t", "n2").decide();
    assertThat(outcome.node()).isEqualTo("n1");
  }

  @Test
  void volumeThatCannotBePlacedOrOpenedReportsWhy() {
    Case.Outcome creating =
        Case.detached()
            .state(VolumeState.CREATING, "")
            .condition("Scheduled", Condition.Status.FALSE, "NoDisk", "no disk has room")
            .csi("t", "n1")
            .decide();
    assertThat(creating.of("t")).isEqualTo("NotScheduled");
    assertThat(creating.message("t")).contains("no disk has room");
    Case.Outcome opening =
        Case.attached("n1")
            .state(VolumeState.ATTACHING, "")
            .condition("EngineReady", Condition.Status.FALSE, "Unreachable", "disk d2 is needed")
            .csi("t", "n1")
            .decide();
    assertThat(opening.of("t")).isEqualTo("EngineNotReady");
    assertThat(opening.message("t")).contains("disk d2 is needed");
    Case.Outcome starting =
        Case.attached("n1")
            .state(VolumeState.ATTACHING, "")
            .condition("EngineReady", Condition.Status.FALSE, "NotRunning", "does not run yet")
            .csi("t", "n1")
            .decide();
    assertThat(starting.of("t")).isEqualTo("Attaching");
  }

  @Test
  void ticketWithoutAVolumeReportsIt() {
    AttachmentView view = Case.detached().csi("t", "n1").view(List.of());
    AttachmentView without =
        new AttachmentView(
            view.attachment(),
            Optional.empty(),
            view.engines(),
            view.nodes(),
            view.replicas(),
            view.types(),
            view.now());
    assertThat(new Case.Outcome(new AttachmentRules().next(without)).of("t"))
        .isEqualTo("VolumeNotFound");
  }

  @Test
  void attachmentReportsWaitingTicketsAndTheirReasons() {
    Case.Outcome outcome = Case.attached("n1").csi("t1", "n1").csi("t2", "n2").decide();
    Condition waiting =
        Condition.find(outcome.decision().status().conditions(), "Satisfied").orElseThrow();
    assertThat(waiting.status()).isEqualTo(Condition.Status.FALSE);
    assertThat(waiting.reason()).isEqualTo("OtherNode");
    assertThat(waiting.message()).isEqualTo("ticket t2: attached to different node n1");
    Condition all =
        Condition.find(
                Case.attached("n1").csi("t1", "n1").decide().decision().status().conditions(),
                "Satisfied")
            .orElseThrow();
    assertThat(all.status()).isEqualTo(Condition.Status.TRUE);
    assertThat(Case.attached("n1").decide().decision().status().conditions()).isEmpty();
  }

  @Test
  void allTicketsTakenBackDuringARestoreDetachAndTheRestoreComesBackWithoutAFrontend() {
    assertThat(Case.attachedWithoutFrontend("n1").decide().node()).isEmpty();
    Case.Outcome again =
        Case.detached().ticket("r", "volume-restore-controller", "", "true").decide();
    assertThat(again.node()).isEqualTo("n1");
    assertThat(again.frontendDisabled()).isTrue();
  }
}
