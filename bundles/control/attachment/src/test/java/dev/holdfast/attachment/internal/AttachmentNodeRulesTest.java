package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Selection of the node of a ticket, and nodes that are not ready. */
class AttachmentNodeRulesTest {

  @Test
  void ticketForAnUnreadyOrMissingNodeHasLowerPriority() {
    Case.Outcome outcome =
        Case.detached()
            .ticket("a", "api", "n2", "false")
            .ticket("b", "api", "n9", "false")
            .csi("t", "n1")
            .notReady("n2")
            .decide();
    assertThat(outcome.node()).isEqualTo("n1");
    Case.Outcome alone =
        Case.detached()
            .ticket("a", "api", "n2", "false")
            .ticket("b", "api", "n9", "false")
            .notReady("n2")
            .decide();
    assertThat(alone.of("a")).isEqualTo("NodeNotReady");
    assertThat(alone.of("b")).isEqualTo("NodeNotFound");
  }

  @Test
  void anOpenTicketTakesTheCurrentNodeThenOneWithAReplicaThenAny() {
    assertThat(Case.attached("n3").csi("t", "").decide().of("t")).isEqualTo("+Attached");
    assertThat(Case.detached().csi("t", "").decide().node()).isEqualTo("n1");
    Replica replica =
        Replica.of("r", ReplicaSpec.EMPTY.withVolume("v").withNodeID("n2").withDiskID("d"));
    Decision decision =
        new AttachmentRules().next(Case.detached().csi("t", "").view(List.of(replica)));
    assertThat(decision.volumeSpec().orElseThrow().nodeID()).isEqualTo("n2");
    assertThat(Case.detached().csi("t", "").notReady("n1").decide().node()).isEqualTo("n2");
  }

  @Test
  void anOpenTicketTakesACordonedNodeLast() {
    assertThat(Case.detached().cordoned("n1").csi("pod", "").decide().node()).isEqualTo("n2");
    Case all = Case.detached().cordoned("n1").cordoned("n2").cordoned("n3");
    assertThat(all.csi("pod", "").decide().node()).isEqualTo("n1");
  }

  @Test
  void aVolumeOnASharedDiskIsAttachableWhereTheDiskIsSeen() {
    Case.Outcome refused =
        Case.detached().onSharedDisk("uuid-7", "n2", "n3").csi("t", "n1").decide();
    assertThat(refused.node()).isEmpty();
    assertThat(refused.of("t")).isEqualTo("DiskNotSeen");
    assertThat(refused.message("t"))
        .isEqualTo(
            "volume v is on disk uuid-7, which node n1 does not have: attach it to node n2 or n3,"
                + " or add the disk to node n1 with 'holdfast disk add'");
    Case shared = Case.detached().onSharedDisk("uuid-7", "n2", "n3");
    assertThat(shared.csi("t", "n3").decide().node()).isEqualTo("n3");
    assertThat(Case.detached().onSharedDisk("uuid-7", "n2").csi("t", "").decide().node())
        .isEqualTo("n2");
  }

  @Test
  void volumeWithAMissingSharedDiskReportsIt() {
    Case.Outcome refused = Case.detached().onSharedDisk("uuid-7").csi("t", "n1").decide();
    assertThat(refused.of("t")).isEqualTo("DiskNotSeen");
    assertThat(refused.message("t")).contains("attach it to a node that has it");
  }

  @Test
  void strictlyLocalVolumeIsAttachedOnlyAtItsReplica() {
    Case.Outcome outcome =
        Case.detached().strictLocal("n2").csi("t1", "n1").csi("t22", "n2").decide();
    assertThat(outcome.node()).isEqualTo("n2");
    Case.Outcome alone = Case.detached().strictLocal("n2").csi("t1", "n1").decide();
    assertThat(alone.node()).isEmpty();
    assertThat(alone.of("t1")).isEqualTo("StrictlyLocal");
    assertThat(Case.detached().strictLocal("").csi("t1", "n1").decide().node()).isEqualTo("n1");
  }

  @Test
  void aNodeThatIsNotReadySatisfiesNoTicketAndKeepsTheVolume() {
    Case.Outcome outcome = Case.attached("n1").csi("t", "n1").lost("n1").decide();
    assertThat(outcome.node()).isEqualTo("n1");
    assertThat(outcome.of("t")).isEqualTo("NodeNotReady");
  }

  @Test
  void aDeadNodeIsLeftOnceItsTicketsAreTakenBack() {
    Case.Outcome outcome = Case.attached("n1").csi("t", "n2").lost("n1").decide();
    assertThat(outcome.node()).isEmpty();
  }

  @Test
  void openMaintenanceLeavesADeadNodeAndAPersonsTicketDoesNot() {
    Case.Outcome maintenance =
        Case.attached("n1")
            .ticket("e", "volume-eviction-controller", "", "any")
            .csi("t", "n2")
            .lost("n1")
            .decide();
    assertThat(maintenance.node()).isEmpty();
    Case.Outcome person =
        Case.attached("n1").ticket("a", "api", "", "false").csi("t", "n2").lost("n1").decide();
    assertThat(person.node()).isEqualTo("n1");
  }

  @Test
  void openMaintenanceStaysOnANodeThatReportsAFault() {
    assertThat(
            Case.attached("n1")
                .ticket("e", "volume-eviction-controller", "", "any")
                .notReady("n1")
                .decide()
                .node())
        .isEqualTo("n1");
  }

  @Test
  void protocolThatOnlyTheEngineServesCanBeAttached() {
    Case.Outcome refused = Case.detached().protocols("iscsi").csi("t", "n2").decide();
    assertThat(refused.of("t")).isEqualTo("FrontendUnavailable");
    Case.Outcome exported = Case.detached().protocols("iscsi", "nbd").csi("t", "n2").decide();
    assertThat(exported.node()).isEqualTo("n2");
  }

  @Test
  void ticketWithoutANodeUsesTheNodeOfTheWorkload() {
    Case.Outcome outcome =
        Case.detached()
            .ticket("e", "volume-expansion-controller", "", "false")
            .csi("t", "n3")
            .decide();
    assertThat(outcome.node()).isEqualTo("n3");
    assertThat(outcome.of("t")).isEqualTo("Attaching");
    Case.Outcome elsewhere =
        Case.detached()
            .ticket("e", "volume-expansion-controller", "", "false")
            .csi("t", "n3")
            .notReady("n3")
            .decide();
    assertThat(elsewhere.node()).isEqualTo("n1");
  }
}
