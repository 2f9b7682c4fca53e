package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.CloneState;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Attachment of clones and of their sources. */
class ClonedVolumeRulesTest {

  @Test
  void sourceOfARunningCloneIsAttachedWhileItIsBeingDeleted() {
    Case detached = Case.detached().deleting().ticket("c", "volume-clone-controller", "n1", "any");
    assertThat(detached.decide().node()).isEmpty();
    assertThat(detached.neededByACopy().decide().node()).isEqualTo("n1");
  }

  @Test
  void beforeItsContentIsWholeOnlyItsCopyingGetsAVolume() {
    for (CloneState state : List.of(CloneState.NONE, CloneState.INITIATED, CloneState.FAILED)) {
      Case.Outcome outcome =
          Case.detached()
              .copy(state)
              .ticket("a", "api", "n1", "false")
              .csi("t", "n1")
              .ticket("volume-clone-controller-w2", "volume-clone-controller", "n1", "any")
              .decide();
      assertThat(outcome.node()).isEmpty();
      assertThat(outcome.of("a")).isEqualTo("Cloning");
      assertThat(outcome.message("t")).endsWith("is not copied from volume w yet: disk full");
      assertThat(outcome.of("volume-clone-controller-w2")).isEqualTo("Cloning");
    }
    Case.Outcome copying =
        Case.detached()
            .copy(CloneState.INITIATED)
            .ticket("a", "api", "n1", "false")
            .ticket("volume-clone-controller-v", "volume-clone-controller", "n2", "true")
            .decide();
    assertThat(copying.node()).isEqualTo("n2");
    assertThat(copying.frontendDisabled()).isTrue();
  }

  @Test
  void onlyItsRestoreGetsAVolumeThatIsRestored() {
    Case.Outcome outcome =
        Case.detached()
            .restored()
            .ticket("a", "api", "n1", "false")
            .csi("t", "n1")
            .ticket("volume-restore-controller-v", "volume-restore-controller", "n2", "true")
            .decide();
    assertThat(outcome.node()).isEqualTo("n2");
    assertThat(outcome.frontendDisabled()).isTrue();
    assertThat(outcome.of("a")).isEqualTo("Restoring");
    assertThat(outcome.message("t"))
        .isEqualTo("volume v: the restore from its backup is not complete: the target is away");
  }

  @Test
  void standbyVolumeIsReachedByNoClientBeforeItIsActivated() {
    Case.Outcome outcome =
        Case.detached()
            .standby()
            .ticket("a", "api", "n1", "false")
            .ticket("b", "api", "n1", "true")
            .csi("t", "n1")
            .ticket("volume-expansion-controller-v", "volume-expansion-controller", "n1", "false")
            .decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.of("t")).isEqualTo("Standby");
    assertThat(outcome.of("b")).isEqualTo("Standby");
    assertThat(outcome.of("volume-expansion-controller-v")).isEqualTo("Standby");
    assertThat(outcome.message("a"))
        .isEqualTo("volume v is a standby volume: use 'holdfast volume activate v'");

    Case.Outcome activating =
        Case.detached().beingActivated().ticket("a", "api", "n1", "false").decide();
    assertThat(activating.node()).isEmpty();
    assertThat(activating.message("a"))
        .isEqualTo("volume v is a standby volume, and its activation is not complete");
  }

  @Test
  void standbyVolumeIsAttachedForItsSnapshotsWithoutAFrontend() {
    for (String type : List.of("snapshot-controller", "volume-rebuilding-controller")) {
      Case.Outcome outcome = Case.detached().standby().ticket("s", type, "n2", "any").decide();
      assertThat(outcome.node()).isEqualTo("n2");
      assertThat(outcome.frontendDisabled()).isTrue();
    }
    assertThat(
            Case.attachedWithoutFrontend("n2")
                .standby()
                .ticket("s", "snapshot-controller", "n2", "any")
                .decide()
                .node())
        .isEqualTo("n2");
  }

  @Test
  void workloadTakesAVolumeThatIsRestoredLazilyToItsNode() {
    Case.Outcome alone =
        Case.detached()
            .restoredLazily()
            .ticket("volume-content-controller-v", "volume-content-controller", "n2", "any")
            .decide();
    assertThat(alone.node()).isEqualTo("n2");

    Case.Outcome used =
        Case.attached("n1")
            .restoredLazily()
            .csi("t", "n1")
            .ticket("volume-content-controller-v", "volume-content-controller", "", "any")
            .decide();
    assertThat(used.node()).isEqualTo("n1");
    assertThat(used.of("t")).isEqualTo("+Attached");

    Case.Outcome interrupted =
        Case.attached("n2")
            .restoredLazily()
            .csi("t", "n1")
            .ticket("volume-content-controller-v", "volume-content-controller", "", "any")
            .decide();
    assertThat(interrupted.node()).isEmpty();
  }

  @Test
  void ticketOfAWorkloadIsNotSatisfiedWhileItsVolumeIsBeingCopied() {
    Case.Outcome outcome =
        Case.attachedWithoutFrontend("n1")
            .copy(CloneState.INITIATED)
            .ticket("a", "api", "n1", "true")
            .ticket("volume-clone-controller-v", "volume-clone-controller", "n1", "true")
            .decide();
    assertThat(outcome.of("a")).isEqualTo("Cloning");
    assertThat(outcome.of("volume-clone-controller-v")).isEqualTo("+Attached");
    assertThat(outcome.node()).isEqualTo("n1");
  }

  @Test
  void aCopyIsUsableWhileItIsCopiedButOnlyWhereThatIsDone() {
    Case.Outcome outcome =
        Case.attached("n1")
            .usableCopy("n1")
            .csi("here", "n1")
            .csi("there", "n2")
            .ticket("volume-clone-controller-v", "volume-clone-controller", "n1", "any")
            .decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("here")).isEqualTo("+Attached");
    assertThat(outcome.of("there")).isEqualTo("Cloning");
    assertThat(outcome.message("there")).contains("is being copied on node n1");

    assertThat(Case.detached().usableCopy("n1").csi("there", "n2").decide().node()).isEmpty();
    assertThat(Case.detached().usableCopy("n1").csi("here", "n1").decide().node()).isEqualTo("n1");
  }

  @Test
  void aCopyIsUsableBeforeAllItsReplicasAreWhole() {
    Case.Outcome outcome =
        Case.attachedWithoutFrontend("n1")
            .copy(CloneState.COPY_COMPLETED_AWAITING_HEALTHY)
            .csi("t", "n1")
            .decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(
            Case.detached()
                .copy(CloneState.COPY_COMPLETED_AWAITING_HEALTHY)
                .csi("t", "n1")
                .decide()
                .node())
        .isEqualTo("n1");
  }
}
