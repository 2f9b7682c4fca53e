package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** For each kind: what is valid, and the paths of what is not. */
class ValidationTest {
  private static final String LONGEST = "x".repeat(253);

  private static DynamicTest wrong(String what, Resource<?> resource, String... fields) {
    return DynamicTest.dynamicTest(
        resource.resourceKind().kind() + " with " + what,
        () ->
            assertThat(resource.validate())
                .as("%s", resource.validate())
                .extracting(FieldError::field)
                .containsExactly(fields));
  }

  private static DynamicTest valid(String what, Resource<?> resource) {
    return wrong(what, resource);
  }

  private static Snapshot snapshotOf(String time) {
    return Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("v"))
        .withMetadata(
            ObjectMeta.named("s").withAnnotations(Map.of(Snapshot.CREATED_ANNOTATION, time)));
  }

  private static Quantity size(String text) {
    return Quantity.parse(text);
  }

  @TestFactory
  Stream<DynamicTest> volumes() {
    VolumeSpec spec = VolumeSpec.EMPTY.withSize(size("1Gi"));
    return Stream.of(
        valid("defaults", Volume.of("v", spec)),
        valid("the smallest size", Volume.of("v", spec.withSize(size("1Mi")))),
        valid("the longest name", Volume.of("v".repeat(63), spec)),
        wrong("a name too long for a label", Volume.of("v".repeat(64), spec), "metadata.name"),
        wrong("no size", Volume.of("v", VolumeSpec.EMPTY), "spec.size"),
        wrong("a small size", Volume.of("v", spec.withSize(size("1020Ki"))), "spec.size"),
        wrong("half a block", Volume.of("v", spec.withSize(size("1049088"))), "spec.size"),
        wrong("no replicas", Volume.of("v", spec.withNumberOfReplicas(0)), "spec.numberOfReplicas"),
        valid("20 replicas", Volume.of("v", spec.withNumberOfReplicas(20))),
        wrong(
            "21 replicas", Volume.of("v", spec.withNumberOfReplicas(21)), "spec.numberOfReplicas"),
        wrong(
            "strict locality of 3 replicas",
            Volume.of("v", spec.withDataLocality(DataLocality.STRICT_LOCAL)),
            "spec.numberOfReplicas"),
        valid(
            "strict locality of 1 replica",
            Volume.of(
                "v", spec.withDataLocality(DataLocality.STRICT_LOCAL).withNumberOfReplicas(1))),
        wrong("no engine", Volume.of("v", spec.withDataEngine("")), "spec.dataEngine"),
        wrong("a bad frontend", Volume.of("v", spec.withFrontend("N B D")), "spec.frontend"),
        wrong("a bad node", Volume.of("v", spec.withNodeID("Node")), "spec.nodeID"),
        wrong(
            "all wrong",
            Volume.of(
                "v",
                spec.withSize(Quantity.ZERO)
                    .withNumberOfReplicas(-1)
                    .withDataEngine("")
                    .withFrontend("")
                    .withNodeID("-")),
            "spec.size",
            "spec.numberOfReplicas",
            "spec.dataEngine",
            "spec.frontend",
            "spec.nodeID"));
  }

  @TestFactory
  Stream<DynamicTest> nodes() {
    DiskSpec one = DiskSpec.EMPTY.withPath("/disks/1");
    return Stream.of(
        valid("no disks", Node.of("n", NodeSpec.EMPTY)),
        valid("two disks", node(Map.of("d1", one, "d2", one.withPath("/disks/2")))),
        wrong("a relative path", node(Map.of("d1", one.withPath("x"))), "spec.disks[d1].path"),
        wrong("no path", node(Map.of("d1", DiskSpec.EMPTY)), "spec.disks[d1].path"),
        wrong("a bad identifier", node(Map.of("D 1", one)), "spec.disks"),
        wrong("the same path twice", node(Map.of("d1", one, "d2", one)), "spec.disks"));
  }

  private static Node node(Map<String, DiskSpec> disks) {
    return Node.of("n", NodeSpec.EMPTY.withDisks(disks));
  }

  @TestFactory
  Stream<DynamicTest> engines() {
    EngineSpec spec = EngineSpec.EMPTY.withVolume("v");
    EngineSpec running = spec.withDesireState(DesireState.RUNNING);
    return Stream.of(
        valid("a volume", Engine.of("v-e-0", spec)),
        wrong("no volume", Engine.of("v-e-0", EngineSpec.EMPTY), "spec.volume"),
        wrong("nowhere to run", Engine.of("v-e-0", running), "spec.nodeID"),
        valid("somewhere to run", Engine.of("v-e-0", running.withNodeID("node-1"))));
  }

  @TestFactory
  Stream<DynamicTest> replicas() {
    ReplicaSpec spec = ReplicaSpec.EMPTY.withVolume("v").withDataDirectoryName("v-1");
    return Stream.of(
        valid("no disk yet", Replica.of("r", spec)),
        valid(
            "a disk",
            Replica.of("r", spec.withNodeID("n").withDiskID("d").withDiskPath("/disks/1"))),
        wrong("a node without a disk", Replica.of("r", spec.withNodeID("n")), "spec.diskID"),
        wrong("a path only", Replica.of("r", spec.withDiskPath("/x")), "spec.diskID"),
        wrong(
            "nothing",
            Replica.of("r", ReplicaSpec.EMPTY),
            "spec.volume",
            "spec.dataDirectoryName"));
  }

  @TestFactory
  Stream<DynamicTest> attachments() {
    AttachmentTicket ticket = AttachmentTicket.EMPTY.withId("csi-1").withType("csi-attacher");
    return Stream.of(
        valid("no tickets", VolumeAttachment.of("v", new VolumeAttachmentSpec("v", Map.of()))),
        valid("a ticket", attachment(ticket)),
        wrong(
            "another name",
            VolumeAttachment.of("w", new VolumeAttachmentSpec("v", Map.of())),
            "metadata.name"),
        wrong(
            "another key", attachment(ticket.withId("other")), "spec.attachmentTickets[csi-1].id"),
        wrong(
            "a ticket of no type",
            attachment(ticket.withType("")),
            "spec.attachmentTickets[csi-1].type"),
        wrong(
            "a bad node",
            attachment(ticket.withNodeID("a b")),
            "spec.attachmentTickets[csi-1].nodeID"),
        valid("an owner", attachment(ticket.withOwnerReference(Optional.of(owner("s", "u"))))),
        wrong(
            "an owner without a name and uid",
            attachment(ticket.withOwnerReference(Optional.of(owner("", "")))),
            "spec.attachmentTickets[csi-1].ownerReference.name",
            "spec.attachmentTickets[csi-1].ownerReference.uid"));
  }

  private static OwnerReference owner(String name, String uid) {
    return new OwnerReference(ResourceKind.API_VERSION, "Snapshot", name, uid, false);
  }

  private static VolumeAttachment attachment(AttachmentTicket ticket) {
    return VolumeAttachment.of("v", new VolumeAttachmentSpec("v", Map.of("csi-1", ticket)));
  }

  @TestFactory
  Stream<DynamicTest> theOthers() {
    return Stream.of(
        valid("a volume", Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("v"))),
        wrong("no volume", Snapshot.of("s", SnapshotSpec.EMPTY), "spec.volume"),
        valid("a time", snapshotOf("2026-11-20T23:22:57Z")),
        wrong(
            "a wrong time", snapshotOf("yesterday"), "metadata.annotations[holdfast.dev/created]"),
        valid("an empty value", Setting.of("a", SettingSpec.EMPTY)),
        wrong("a bad name", Setting.of("A", SettingSpec.EMPTY), "metadata.name"),
        valid("a reason", Event.of("e", EventSpec.EMPTY.withReason("Attached"))),
        wrong("no reason", Event.of("e", EventSpec.EMPTY), "spec.reason"),
        valid("nothing", Lease.of("l", LeaseSpec.EMPTY)),
        wrong(
            "a negative duration",
            Lease.of("l", LeaseSpec.EMPTY.withLeaseDurationSeconds(-1)),
            "spec.leaseDurationSeconds"));
  }

  @TestFactory
  Stream<DynamicTest> metadata() {
    ObjectMeta metadata = ObjectMeta.named("a");
    return Stream.of(
        metadataCase("a", metadata),
        metadataCase("the longest name", metadata.withName(LONGEST)),
        metadataCase("a longer name", metadata.withName(LONGEST + "x"), "metadata.name"),
        metadataCase("no name", metadata.withName(""), "metadata.name"),
        metadataCase("an upper-case name", metadata.withName("A"), "metadata.name"),
        metadataCase("a good label", metadata.withLabels(Map.of("holdfast.dev/volume", "v.1_A"))),
        metadataCase("an empty label", metadata.withLabels(Map.of("a", ""))),
        metadataCase("a bad key", metadata.withLabels(Map.of("a b", "")), "metadata.labels"),
        metadataCase("a bad value", metadata.withLabels(Map.of("a", "-")), "metadata.labels[a]"),
        metadataCase(
            "a long value", metadata.withLabels(Map.of("a", "x".repeat(64))), "metadata.labels[a]"),
        metadataCase(
            "annotations of 256 KiB",
            metadata.withAnnotations(Map.of("a", "x".repeat(256 * 1024 - 1)))),
        metadataCase(
            "more annotations",
            metadata.withAnnotations(Map.of("a", "x".repeat(256 * 1024))),
            "metadata.annotations"));
  }

  private static DynamicTest metadataCase(String what, ObjectMeta metadata, String... fields) {
    Lease lease = Lease.of("l", LeaseSpec.EMPTY).withMetadata(metadata);
    return DynamicTest.dynamicTest(
        what, () -> assertThat(errorFields(lease)).containsExactly(fields));
  }

  private static List<String> errorFields(Lease lease) {
    try {
      Resources.requireValid(lease);
      return List.of();
    } catch (InvalidResourceException e) {
      assertThat(e.getMessage())
          .startsWith("Lease.holdfast.dev \"" + lease.name() + "\" is invalid: ");
      return e.errors().stream().map(FieldError::field).toList();
    }
  }

  private static <R extends Resource<R>> DynamicTest change(
      String what, R before, R after, String... fields) {
    return DynamicTest.dynamicTest(
        before.resourceKind().kind() + ": " + what,
        () ->
            assertThat(after.validateChange(before))
                .extracting(FieldError::field)
                .as(Arrays.toString(fields))
                .containsExactly(fields));
  }

  @TestFactory
  Stream<DynamicTest> changes() {
    Volume volume = Volume.of("v", VolumeSpec.EMPTY.withSize(size("1Gi")));
    EngineSpec engine = EngineSpec.EMPTY.withVolume("v");
    ReplicaSpec replica = ReplicaSpec.EMPTY.withVolume("v").withDataDirectoryName("v-1");
    ReplicaSpec placed = replica.withNodeID("n").withDiskID("d").withDiskPath("/1");
    SnapshotSpec snapshot = SnapshotSpec.EMPTY.withVolume("v");
    return Stream.of(
        change("same", volume, volume),
        change("grow", volume, volume.withSpec(volume.spec().withSize(size("2Gi")))),
        change(
            "shrink, another engine, another access mode",
            volume,
            volume.withSpec(
                volume
                    .spec()
                    .withSize(size("1Mi"))
                    .withDataEngine("lvm")
                    .withAccessMode(AccessMode.READ_WRITE_MANY)),
            "spec.size",
            "spec.dataEngine",
            "spec.accessMode"),
        change(
            "another volume and engine",
            Engine.of("e", engine),
            Engine.of("e", engine.withVolume("w").withDataEngine("lvm")),
            "spec.volume",
            "spec.dataEngine"),
        change("placed", Replica.of("r", replica), Replica.of("r", placed)),
        change(
            "moved",
            Replica.of("r", placed),
            Replica.of("r", placed.withNodeID("m").withDiskID("e").withDiskPath("/2")),
            "spec.nodeID",
            "spec.diskID",
            "spec.diskPath"),
        change(
            "another directory",
            Replica.of("r", replica),
            Replica.of("r", replica.withDataDirectoryName("v-2")),
            "spec.dataDirectoryName"),
        change(
            "another volume",
            Snapshot.of("s", snapshot),
            Snapshot.of("s", snapshot.withVolume("w")),
            "spec.volume"),
        change(
            "another volume",
            VolumeAttachment.of("v", new VolumeAttachmentSpec("v", Map.of())),
            VolumeAttachment.of("v", new VolumeAttachmentSpec("w", Map.of())),
            "spec.volume"));
  }
}
