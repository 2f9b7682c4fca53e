package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.VolumeState;
import org.junit.jupiter.api.Test;

/** A volume that several nodes serve, because its engine admits any number of nodes. */
class ServingNodesRulesTest {

  private static Case owned() {
    return Case.attached("n1").rwx(true).multiNode().csi("t1", "n1");
  }

  /**
   * Returns a case in which n1 has the volume open, n2 can take it over, and n3 and n4 also serve
   * it.
   */
  private static Case shared() {
    return owned()
        .csi("t2", "n2")
        .csi("t3", "n3")
        .csi("t4", "n4")
        .serving(true, "n3", "n4")
        .migrating("n2", true);
  }

  private static Case sharedWithoutOwnersTicket() {
    return Case.attached("n1")
        .rwx(true)
        .multiNode()
        .csi("t2", "n2")
        .csi("t3", "n3")
        .serving(true, "n3")
        .migrating("n2", true);
  }

  @Test
  void oneOtherNodeIsALiveMigration() {
    Case.Outcome outcome = owned().csi("t2", "n2").decide();
    assertThat(outcome.target()).isEqualTo("n2");
    assertThat(outcome.serving()).isEmpty();
  }

  @Test
  void allRequestedNodesServe() {
    Case.Outcome outcome = owned().csi("t2", "n2").csi("t3", "n3").csi("t4", "n4").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.target()).isEqualTo("n2");
    assertThat(outcome.serving()).containsExactly("n3", "n4");
    assertThat(outcome.of("t1")).isEqualTo("+Attached");
    assertThat(outcome.of("t3")).isEqualTo("Attaching");
    assertThat(outcome.message("t3")).contains("node n3", "beside node n1");
  }

  @Test
  void aNodeThatCannotServeWaitsAndDisturbsNoOther() {
    Case.Outcome outcome =
        owned().csi("t2", "n2").csi("t3", "n3").csi("t4", "n4").notReady("n2").gone("n3").decide();
    assertThat(outcome.target()).isEqualTo("n4");
    assertThat(outcome.serving()).isEmpty();
    assertThat(outcome.of("t2")).isEqualTo("NodeNotReady");
    assertThat(outcome.of("t3")).isEqualTo("NodeNotFound");
  }

  @Test
  void everyServingNodeIsSatisfiedWhenHostsReachIt() {
    Case.Outcome outcome = shared().decide();
    assertThat(outcome.of("t1")).isEqualTo("+Attached");
    assertThat(outcome.of("t2")).isEqualTo("+ReadyToMigrate");
    assertThat(outcome.of("t3")).isEqualTo("+Attached");
    assertThat(outcome.of("t4")).isEqualTo("+Attached");
    assertThat(shared().notReady("n3").decide().of("t3")).isEqualTo("NodeNotReady");
    assertThat(shared().notReady("n3").decide().serving()).contains("n3");
  }

  @Test
  void servingNodeStopsWhenItsTicketIsRemoved() {
    Case.Outcome outcome =
        owned()
            .csi("t2", "n2")
            .csi("t4", "n4")
            .serving(true, "n3", "n4")
            .migrating("n2", true)
            .decide();
    assertThat(outcome.serving()).containsExactly("n4");
    assertThat(outcome.target()).isEqualTo("n2");
  }

  @Test
  void removalOfTheOwnersTicketMovesTheVolumeAndOtherNodesContinue() {
    Case.Outcome outcome = sharedWithoutOwnersTicket().decide();
    assertThat(outcome.node()).isEqualTo("n2");
    assertThat(outcome.target()).isEmpty();
    assertThat(outcome.serving()).containsExactly("n3");
    assertThat(outcome.of("t3")).isEqualTo("+Attached");
  }

  @Test
  void aServingNodeIsPreparedAsSoonAsTheMoveIsOver() {
    Case arrived =
        Case.attached("n2").rwx(true).multiNode().csi("t2", "n2").csi("t3", "n3").csi("t4", "n4");
    Case.Outcome outcome = arrived.serving(true, "n3", "n4").decide();
    assertThat(outcome.target()).isEqualTo("n3");
    assertThat(outcome.serving()).containsExactly("n4");
  }

  @Test
  void noNodeIsPreparedWhileTheVolumeChangesItsNode() {
    Case.Outcome outcome =
        Case.attached("n1")
            .rwx(true)
            .multiNode()
            .csi("t2", "n2")
            .csi("t3", "n3")
            .csi("t4", "n4")
            .serving(true, "n3")
            .arrived("n2")
            .wantedAt("n2")
            .decide();
    assertThat(outcome.node()).isEqualTo("n2");
    assertThat(outcome.target()).isEmpty();
    assertThat(outcome.serving()).containsExactly("n3");
    assertThat(outcome.of("t3")).isEqualTo("+Attached");
  }

  @Test
  void removalOfTheTargetTicketPreparesAServingNode() {
    Case.Outcome outcome =
        owned()
            .csi("t3", "n3")
            .csi("t4", "n4")
            .serving(true, "n3", "n4")
            .migrating("n2", true)
            .decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.target()).isEqualTo("n3");
    assertThat(outcome.serving()).containsExactly("n4");
  }

  @Test
  void targetThatNeverServedIsReplacedByAServingNode() {
    Case.Outcome outcome =
        Case.attached("n1")
            .rwx(true)
            .multiNode()
            .csi("t2", "n2")
            .csi("t3", "n3")
            .serving(true, "n3")
            .migrating("n2", false)
            .decide();
    assertThat(outcome.node()).as("not detached: node n3 is in use").isEqualTo("n1");
    assertThat(outcome.target()).isEqualTo("n3");
    assertThat(outcome.serving()).containsExactly("n2");
  }

  @Test
  void aServingNodeThatWasJustChosenIsWaitedFor() {
    Case.Outcome outcome =
        Case.attached("n1")
            .rwx(true)
            .multiNode()
            .csi("t3", "n3")
            .serving(true, "n3")
            .serves("n3")
            .migrating("n3", false)
            .decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.target()).isEqualTo("n3");
  }

  @Test
  void aLostOwnerIsLeftForTheTargetWhenItsTicketIsTakenBack() {
    assertThat(shared().lost("n1").decide().node()).isEqualTo("n1");
    Case.Outcome outcome = sharedWithoutOwnersTicket().lost("n1").decide();
    assertThat(outcome.node()).isEqualTo("n2");
    assertThat(outcome.serving()).containsExactly("n3");
  }

  @Test
  void withoutTicketsAllNodesStopAndTheVolumeIsDetached() {
    Case.Outcome first =
        Case.attached("n1")
            .rwx(true)
            .multiNode()
            .serving(true, "n3")
            .migrating("n2", true)
            .decide();
    assertThat(first.target()).isEmpty();
    assertThat(first.serving()).isEmpty();
    assertThat(Case.attached("n1").rwx(true).multiNode().decide().node()).isEmpty();
  }

  @Test
  void ownerThatNeverOpenedAndHasNoTicketIsLeft() {
    Case.Outcome outcome =
        Case.attached("n1")
            .rwx(true)
            .multiNode()
            .csi("t3", "n3")
            .serving(true, "n3")
            .wantedAt("n2")
            .decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.serving()).isEmpty();
  }

  @Test
  void detachedVolumeIsAttachedAlthoughSeveralNodesRequestIt() {
    Case.Outcome outcome =
        Case.detached().rwx(true).multiNode().csi("t1", "n1").csi("t2", "n2").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.serving()).isEmpty();
    assertThat(outcome.of("t2")).isEqualTo("OtherNode");
    Case attaching = owned().state(VolumeState.ATTACHING, "").csi("t2", "n2").csi("t3", "n3");
    assertThat(attaching.decide().serving()).isEmpty();
  }

  @Test
  void oneNodeWithAnOlderEngineKeepsTheLimitOfTwo() {
    Case.Outcome outcome =
        Case.attached("n1").rwx(true).csi("t1", "n1").csi("t2", "n2").csi("t3", "n3").decide();
    assertThat(outcome.target()).isEmpty();
    assertThat(outcome.of("t3")).isEqualTo("MigrationAmbiguous");
  }

  @Test
  void volumeIsServedByOneNodeOnlyWhileItIsCopied() {
    String cloning = "volume-clone-controller";
    Case.Outcome outcome =
        owned().ticket("c", cloning, "n1", "any").csi("t2", "n2").csi("t3", "n3").decide();
    assertThat(outcome.target()).isEmpty();
    assertThat(outcome.serving()).isEmpty();
  }
}
