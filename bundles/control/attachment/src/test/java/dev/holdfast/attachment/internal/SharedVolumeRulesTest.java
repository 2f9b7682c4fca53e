package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Attachment of volumes with a share. */
class SharedVolumeRulesTest {

  @Test
  void podsOfASharedVolumeNeitherAttachNorHoldIt() {
    Case.Outcome detached = Case.detached().rwx(false).csi("t", "n1").decide();
    assertThat(detached.node()).isEmpty();
    assertThat(detached.of("t")).isEqualTo("ShareNotReady");
    Case.Outcome attached = Case.attached("n1").rwx(false).csi("t", "n1").decide();
    assertThat(attached.node()).isEmpty();
    assertThat(attached.of("t")).isEqualTo("ShareNotReady");
  }

  @Test
  void shareWithoutItsBundleReportsIt() {
    Case shared = Case.detached().rwx(false).csi("t", "n1");
    assertThat(shared.decide().message("t")).isEqualTo("waits for the share of volume v");
    assertThat(shared.without("share-manager-controller").decide().message("t"))
        .contains("share-manager-controller: it is not installed");
  }

  @Test
  void theShareManagersTicketAttachesASharedVolume() {
    Case.Outcome outcome =
        Case.detached()
            .rwx(false)
            .csi("t", "n1")
            .ticket("s", "share-manager-controller", "n3", "false")
            .decide();
    assertThat(outcome.node()).isEqualTo("n3");
    assertThat(outcome.of("s")).isEqualTo("Attaching");
  }

  @Test
  void podsOfASharedVolumeAreSatisfiedWhereverTheyAreOnceTheShareServes() {
    Case.Outcome outcome =
        Case.attached("n3")
            .rwx(false)
            .shareEndpoint("nfs://n3/v")
            .csi("t1", "n1")
            .csi("t2", "n2")
            .ticket("s", "share-manager-controller", "n3", "false")
            .decide();
    assertThat(outcome.node()).isEqualTo("n3");
    assertThat(outcome.of("t1")).isEqualTo("+Shared");
    assertThat(outcome.of("t2")).isEqualTo("+Shared");
    assertThat(outcome.of("s")).isEqualTo("+Attached");
  }

  @Test
  void aShareManagerThatMovesDetachesAlthoughAPodIsOnTheOldNode() {
    Case.Outcome outcome =
        Case.attached("n1")
            .rwx(false)
            .csi("t", "n1")
            .ticket("s", "share-manager-controller", "n2", "false")
            .decide();
    assertThat(outcome.node()).isEmpty();
    assertThat(outcome.of("s")).isEqualTo("Detaching");
  }

  @Test
  void userMayAttachASharedVolumeWithoutAShare() {
    assertThat(Case.detached().rwx(false).ticket("a", "api", "n2", "false").decide().node())
        .isEqualTo("n2");
  }
}
