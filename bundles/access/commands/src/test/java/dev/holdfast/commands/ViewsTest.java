package dev.holdfast.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.Detached;
import dev.holdfast.client.Disk;
import dev.holdfast.client.StatusReport;
import dev.holdfast.commands.Output.Format;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeReplica;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ResourceList;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ViewsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T06:00:00Z");

  private final Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);
  private final VolumeViews volumes = new VolumeViews(clock);
  private final NodeViews nodes = new NodeViews(clock);

  private static Volume demo() {
    Volume volume = Volume.of("demo", VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")));
    return volume
        .withMetadata(
            volume.metadata().withCreationTimestamp(Optional.of(NOW.minus(Duration.ofMinutes(5)))))
        .withStatus(
            volume
                .status()
                .withState(VolumeState.ATTACHED)
                .withRobustness(Robustness.HEALTHY)
                .withCurrentNodeID("node-1")
                .withEndpoint("nbd://127.0.0.1:10809/demo")
                .withActualSize(Quantity.parse("64Mi"))
                .withConditions(
                    List.of(
                        new Condition("Scheduled", Condition.Status.TRUE, "Scheduled", "", NOW)))
                .withReplicas(
                    List.of(
                        new VolumeReplica(
                            "demo-r-00000001", "node-1", "disk-1", ReplicaMode.RW, ""),
                        new VolumeReplica(
                            "demo-r-00000002", "node-1", "disk-2", ReplicaMode.ERR, ""))));
  }

  private static ResourceList<Volume> list(Volume... items) {
    return new ResourceList<>(List.of(items), "42");
  }

  @Test
  void volumesAreATable() {
    Volume other = Volume.of("b", VolumeSpec.EMPTY.withSize(Quantity.parse("10Gi")));
    assertThat(volumes.volumes(list(demo(), other)).as(Format.TEXT))
        .isEqualTo(
            """
            NAME   SIZE   STATE      ROBUSTNESS   NODE     REPLICAS   ENGINE   AGE
            demo   1Gi    attached   healthy      node-1   3          sparse   5m
            b      10Gi   creating   unknown      -        3          sparse   -""");
  }

  @Test
  void noVolumesAreASentence() {
    assertThat(volumes.volumes(list()).as(Format.TEXT))
        .isEqualTo("No volumes. Make one: holdfast volume create NAME --size 1Gi");
  }

  @Test
  void volumesAsJsonAreAListOfTheApi() throws Exception {
    JsonNode tree = new ResourceJson().parse(volumes.volumes(list(demo())).as(Format.JSON));
    assertThat(tree.path("kind").asText()).isEqualTo("VolumeList");
    assertThat(tree.path("items").path(0)).hasToString(new ResourceJson().encode(demo()));
  }

  @Test
  void oneVolumeAsJsonIsTheResourceItself() throws Exception {
    ResourceJson json = new ResourceJson();
    Volume read =
        json.decode(Volume.KIND, volumes.volume(demo()).as(Format.JSON), ResourceJson.Mode.STRICT);
    assertThat(read).isEqualTo(demo());
  }

  @Test
  void oneVolumeIsDescribedInFull() {
    assertThat(volumes.volume(demo()).as(Format.TEXT))
        .isEqualTo(
            """
            Name:         demo
            Size:         1Gi
            State:        attached
            Robustness:   healthy
            Node:         node-1
            Endpoint:     nbd://127.0.0.1:10809/demo
            Engine:       sparse
            Frontend:     nbd
            On each disk: 64Mi
            Age:          5m
            Scheduled:    True (Scheduled)

            REPLICA           NODE     DISK     MODE
            demo-r-00000001   node-1   disk-1   RW
            demo-r-00000002   node-1   disk-2   ERR""");
  }

  @Test
  void sentencesDescribeTheResult() {
    assertThat(volumes.created(demo(), "").as(Format.TEXT))
        .isEqualTo("volume demo created: 1Gi in 3 replicas");
    assertThat(volumes.attached(demo()).as(Format.TEXT))
        .isEqualTo("volume demo is attached to node-1 at nbd://127.0.0.1:10809/demo");
    assertThat(volumes.detached(new Detached(demo(), "", List.of())).as(Format.TEXT))
        .isEqualTo("volume demo is detached");
    assertThat(volumes.detached(new Detached(demo(), "node-1", List.of("csi-1"))).as(Format.TEXT))
        .isEqualTo(
            "volume demo stays attached to node-1: held by ticket csi-1: 'holdfast volume why demo'"
                + " shows whose; 'holdfast ticket delete demo TICKET' deletes one whose attacher is"
                + " uninstalled");
    assertThat(volumes.deleted("demo", Optional.empty()).as(Format.TEXT))
        .isEqualTo("volume demo deleted");
    assertThat(volumes.deleted("demo", Optional.of(demo())).as(Format.TEXT))
        .isEqualTo(
            "volume demo is being deleted: it is attached to node-1 and is deleted once it is "
                + "detached");
  }

  @Test
  void endpointIsPrintedAlone() {
    Output output = volumes.endpoint("demo", "nbd://127.0.0.1:10809/demo");
    assertThat(output.as(Format.TEXT)).isEqualTo("nbd://127.0.0.1:10809/demo");
    assertThat(output.json().get().path("endpoint").asText())
        .isEqualTo("nbd://127.0.0.1:10809/demo");
  }

  @Test
  void controlCharactersDoNotReachTheTerminal() {
    Table table = new Table("A").row("x\u001b[31m\ny");
    assertThat(table.toString()).isEqualTo("A\nx [31m y");
  }

  private static Node node() {
    Node node = Node.of("node-1", NodeSpec.EMPTY.withDisks(Map.of("disk-1", diskSpec())));
    return node.withStatus(
        node.status()
            .withAddress("127.0.0.1")
            .withPorts(Map.of("nbd", 10809, "api", 7443))
            .withConditions(
                List.of(new Condition("Ready", Condition.Status.TRUE, "Ready", "", NOW))));
  }

  private static DiskSpec diskSpec() {
    return DiskSpec.EMPTY.withPath("/data/disk-1");
  }

  private static Disk disk() {
    DiskStatus status =
        DiskStatus.EMPTY
            .withStorageMaximum(Quantity.parse("100Gi"))
            .withStorageAvailable(new Quantity(9_600_000_000L));
    return new Disk(
        "node-1", "disk-1", diskSpec(), status, List.of("demo-r-00000001"), Quantity.ZERO);
  }

  @Test
  void nodesAreATable() {
    assertThat(nodes.nodes(new ResourceList<>(List.of(node()), "42")).as(Format.TEXT))
        .isEqualTo(
            """
            NAME     READY   SCHEDULABLE   ADDRESS     PORTS                DISKS   AGE
            node-1   True    true          127.0.0.1   api:7443,nbd:10809   1       -""");
  }

  @Test
  void disksAreATable() {
    assertThat(nodes.disks(List.of(disk())).as(Format.TEXT))
        .isEqualTo(
            """
            NODE     DISK     READY     REASON   SCHEDULABLE   AVAILABLE   SIZE    REPLICAS   TYPE        PATH
            node-1   disk-1   Unknown   -        true          8.9Gi       100Gi   1          directory   /data/disk-1""");
  }

  @Test
  void spaceOfDeletedVolumesIsShown() {
    Disk one = disk();
    Disk holding =
        new Disk("node-1", "d2", one.spec(), one.status(), List.of(), Quantity.parse("3Gi"));
    assertThat(nodes.disks(List.of(one, holding)).as(Format.TEXT).lines().skip(3))
        .containsExactly(
            "Deleted volumes hold 3Gi on node-1/d2: see 'holdfast volume list --deleted'");
    assertThat(
            nodes.disks(List.of(holding)).json().get().at("/items/0/deletedVolumesSize").asText())
        .isEqualTo("3Gi");
  }

  @Test
  void spaceOfAFilesystemIsShownOnce() {
    Disk one = disk();
    DiskStatus status = one.status().withFilesystem("ext4 /dev/sda1");
    Disk first = new Disk("node-1", "disk-1", one.spec(), status, List.of(), Quantity.ZERO);
    Disk second = new Disk("node-1", "disk-2", one.spec(), status, List.of(), Quantity.ZERO);
    Disk other = new Disk("node-2", "disk-1", one.spec(), status, List.of(), Quantity.ZERO);
    assertThat(nodes.disks(List.of(first, second, other)).as(Format.TEXT).lines().skip(1))
        .extracting(line -> line.split(" +", -1)[5])
        .containsExactly("8.9Gi", "in", "8.9Gi");
  }

  @Test
  void unreadyDisksShowTheReason() {
    assertThat(diskLine(Condition.Status.FALSE, "DiskAbsent"))
        .contains("disk-1   False   DiskAbsent   true");
    assertThat(diskLine(Condition.Status.TRUE, "DiskReady")).contains("disk-1   True    -        ");
  }

  private String diskLine(Condition.Status ready, String reason) {
    Disk disk = disk();
    DiskStatus status =
        disk.status()
            .withConditions(List.of(new Condition("Ready", ready, reason, "details", NOW)));
    Disk told =
        new Disk(disk.node(), disk.id(), disk.spec(), status, disk.replicas(), disk.deleted());
    return nodes.disks(List.of(told)).as(Format.TEXT);
  }

  @Test
  void disksAsJsonHaveSpecStatusAndReplicas() {
    JsonNode item = nodes.disks(List.of(disk())).json().get().path("items").path(0);
    assertThat(item.path("id").asText()).isEqualTo("disk-1");
    assertThat(item.path("spec").path("path").asText()).isEqualTo("/data/disk-1");
    assertThat(item.path("status").path("storageMaximum").asText()).isEqualTo("100Gi");
    assertThat(item.path("replicas").path(0).asText()).isEqualTo("demo-r-00000001");
  }

  @Test
  void statusAsJsonHasTheFieldsThatScriptsRead() throws Exception {
    StatusReport report =
        new StatusReport(
            OptionalLong.of(4711),
            List.of(
                new StatusReport.NodeReport(
                    "node-1",
                    true,
                    OptionalLong.of(4711),
                    List.of("127.0.0.1"),
                    Map.of("nbd", 10809))));
    assertThat(nodes.status(report).json().get().toString())
        .isEqualTo(
            "{\"pid\":4711,\"nodes\":[{\"name\":\"node-1\",\"ready\":true,\"pid\":4711,"
                + "\"addresses\":[\"127.0.0.1\"],\"ports\":{\"nbd\":10809}}]}");
  }

  @Test
  void statusWithoutNodesReportsIt() {
    StatusReport nothing = new StatusReport(OptionalLong.empty(), List.of());
    assertThat(nodes.status(nothing).as(Format.TEXT))
        .isEqualTo("Holdfast does not run here\nNo nodes yet.");
    assertThat(nodes.status(nothing).json().get().toString())
        .isEqualTo("{\"pid\":null,\"nodes\":[]}");
  }
}
