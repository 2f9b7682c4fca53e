package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.ObjectReference;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands by which an operator empties nodes and disks and sees what happens there. */
class OperatorCommandsTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeCluster cluster = new FakeCluster();

  @TempDir Path data;

  @BeforeEach
  void haveANodeWithAReplica() throws Exception {
    Files.writeString(data.resolve("kubeconfig"), "{}");
    Files.writeString(data.resolve("holdfast.pid"), ProcessHandle.current().pid() + "\n");
    store.create(
        Node.of(
            "node-1",
            NodeSpec.EMPTY.withDisks(Map.of("disk-1", DiskSpec.EMPTY.withPath("/srv/a")))));
    store.create(
        Replica.of(
            "films-r-1",
            ReplicaSpec.EMPTY
                .withVolume("films")
                .withDataDirectoryName("films-r-1")
                .withNodeID("node-1")
                .withDiskID("disk-1")
                .withDiskPath("/srv/a")
                .withFailedAt(Optional.of(Instant.EPOCH))));
    store.create(
        VolumeAttachment.of(
            "films",
            new VolumeAttachmentSpec(
                "films",
                Map.of("t", AttachmentTicket.of("t", "csi-attacher", "node-1", Map.of(), 1)))));
  }

  private String run(int exitCode, String... arguments) {
    StringWriter out = new StringWriter();
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--data", data.toString()));
    String[] given = all.toArray(String[]::new);
    StoreConnector connector =
        kubeconfig -> new StoreConnector.Session(store, cluster, "127.0.0.1:7443", () -> {});
    int ended =
        Main.commandLine(connector, given)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out, true))
            .execute(given);
    assertThat(ended).as(out.toString()).isEqualTo(exitCode);
    return out.toString().strip();
  }

  @Test
  void nodeIsCordonedDrainedAndUsedAgain() throws Exception {
    assertThat(run(0, "node", "cordon", "node-1"))
        .isEqualTo("node node-1 takes no new replicas; those that it has stay");
    assertThat(run(0, "node", "drain", "node-1", "--no-wait"))
        .isEqualTo(
            "node node-1 takes no new replicas; 1 is to leave: films-r-1\n"
                + "Attached there, until their workloads move: films");
    assertThat(run(1, "node", "drain", "node-1", "--timeout", "1"))
        .contains("1 replica is left: films-r-1 of volume films");
    Replica replica = store.get(Replica.KIND, "films-r-1").orElseThrow();
    store.delete(Replica.KIND, replica.name(), replica.metadata().uid());
    assertThat(run(0, "node", "drain", "node-1"))
        .startsWith("node node-1 has no replicas and takes no new ones");
    assertThat(run(0, "node", "drain", "node-1", "-o", "json")).contains("\"attachedVolumes\"");
    assertThat(run(0, "node", "uncordon", "node-1")).isEqualTo("node node-1 takes replicas");
  }

  @Test
  void authorityIsRotatedAndTheOldOneRemoved() {
    assertThat(run(0, "cluster", "authority", "status")).contains("waiting for node-2: follows");
    assertThat(run(0, "cluster", "authority", "rotate"))
        .contains("ab12", "'holdfast cluster authority finish'");
    assertThat(run(0, "cluster", "authority", "finish", "--force"))
        .contains("cd34", "Left behind: node-2", "holdfast node remove NAME");
    assertThat(run(0, "cluster", "authority", "status", "-o", "json"))
        .contains("\"phase\" : \"renew\"");
    assertThat(run(2, "cluster", "authority", "status", "--force")).contains("--force is for");
    assertThat(run(2, "cluster", "authority", "swap")).contains("ROTATE, STATUS, FINISH");
    assertThat(cluster.rotations()).containsExactly("rotate false", "finish true");
  }

  @Test
  void diskIsCordonedDrainedAndUsedAgain() {
    assertThat(run(0, "disk", "cordon", "disk-1"))
        .isEqualTo("disk disk-1 of node-1 takes no new replicas; those that it has stay");
    assertThat(run(0, "disk", "drain", "disk-1", "--node", "node-1", "--no-wait"))
        .isEqualTo("disk disk-1 of node-1 takes no new replicas; 1 is to leave: films-r-1");
    assertThat(run(0, "disk", "drain", "disk-1", "--no-wait", "-o", "json"))
        .contains("\"evictionRequested\" : true", "\"films-r-1\"");
    assertThat(run(0, "disk", "uncordon", "disk-1"))
        .isEqualTo("disk disk-1 of node-1 takes replicas");
    assertThat(run(1, "disk", "drain", "disk-9")).contains("disk disk-9 does not exist");
  }

  @Test
  void replicasAndTicketsOfOneOrAllVolumesAreShown() {
    assertThat(run(0, "replica", "list"))
        .contains("\nfilms-r-1   films    node-1   disk-1   failed");
    assertThat(run(0, "replica", "list", "--volume", "music")).isEqualTo("No replicas.");
    assertThat(run(0, "replica", "list", "-o", "json")).contains("\"ReplicaList\"");
    assertThat(run(0, "ticket", "list"))
        .contains("\nfilms    t        csi-attacher   node-1   false");
    assertThat(run(0, "ticket", "list", "--volume", "music")).contains("No tickets");
    assertThat(run(0, "ticket", "list", "-o", "json")).contains("\"type\" : \"csi-attacher\"");
  }

  @Test
  void eventsAreSelectedByObjectAndType() throws Exception {
    event("a", "Warning", "films", "2026-01-02T00:00:00Z");
    event("b", "Normal", "music", "2026-01-01T00:00:00Z");

    assertThat(run(0, "event", "list"))
        .startsWith("LAST SEEN")
        .containsSubsequence("Normal", "Volume/music", "Warning", "Volume/films");
    assertThat(run(0, "event", "list", "--for", "films")).contains("about films");
    assertThat(run(0, "event", "list", "--type", "warning")).doesNotContain("about music");
    assertThat(run(0, "event", "list", "--for", "other")).isEqualTo("No events.");
    assertThat(run(2, "event", "list", "--type", "loud")).contains("[NORMAL, WARNING]", "'loud'");
  }

  private void event(String name, String type, String volume, String time) throws Exception {
    store.create(
        Event.of(
            name,
            EventSpec.EMPTY
                .withRegarding(new ObjectReference("Volume", volume, ""))
                .withType(type)
                .withReason("Tested")
                .withMessage("about " + volume)
                .withCount(1)
                .withLastTimestamp(Optional.of(Instant.parse(time)))));
  }
}
