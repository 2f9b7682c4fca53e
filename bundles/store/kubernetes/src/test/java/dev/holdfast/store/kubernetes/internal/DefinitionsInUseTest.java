package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.Resources;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageDataSourceSpec;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageManagerSpec;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.StoredEngineRecord;
import dev.holdfast.resource.volume.StoredEngineRecordSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeQos;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareFilesystem;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers to kubectl of a real API server that has the definitions. */
@Tag("slow")
class DefinitionsInUseTest {
  private static final ResourceJson JSON = new ResourceJson();

  private Kubectl kubectl;

  @BeforeEach
  void clear() throws Exception {
    try (KubernetesResourceStore store = TestCluster.store(TestCluster.server().kubeconfig())) {
      TestCluster.clear(store);
    }
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
  }

  @Test
  void theColumnsAreThoseOfTheKind() throws Exception {
    try (KubernetesResourceStore store = TestCluster.store(TestCluster.server().kubeconfig())) {
      Volume volume = store.create(volume("data", spec -> spec));
      store.updateStatus(volume.withStatus(volume.status().withState(VolumeState.DETACHED)));
    }

    String table = kubectl.run("get", "hfv", "-o", "wide").output();

    assertThat(table.lines().findFirst().orElseThrow().split(" {2,}"))
        .startsWith("NAME", "SIZE", "STATE", "ROBUSTNESS", "NODE")
        .contains("AGE", "REPLICAS", "ENGINE", "ENDPOINT");
    assertThat(table).containsPattern("data +1Gi +detached +unknown");
    assertThat(kubectl.run("get", "holdfast", "-o", "name").output())
        .isEqualTo("volume.holdfast.dev/data\n");
  }

  @Test
  void explainShowsTheFields() throws Exception {
    String text = kubectl.run("explain", "volumes.spec.numberOfReplicas").output();

    assertThat(text).contains("integer").contains("Number of replicas wanted, 1 to 20");
  }

  @Test
  void defaultsAreFilledIn() throws Exception {
    String given =
        "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"Volume\",\"metadata\":{\"name\":\"little\"},"
            + "\"spec\":{\"size\":1073741824}}";

    Kubectl.Result created = kubectl.runWith(given, "create", "-f", "-");

    assertThat(created.output()).contains("little created");
    try (KubernetesResourceStore store = TestCluster.store(TestCluster.server().kubeconfig())) {
      assertThat(store.get(Volume.KIND, "little").orElseThrow().spec())
          .isEqualTo(volume("little", spec -> spec).spec());
    }
  }

  /** One resource that breaks one rule. */
  private record Wrong(String rule, Resource<?> resource) {
    @Override
    public String toString() {
      return rule;
    }
  }

  private static Volume volume(String name, UnaryOperator<VolumeSpec> change) {
    return Volume.of(name, change.apply(VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"))));
  }

  private static Wrong wrongVolume(String rule, UnaryOperator<VolumeSpec> change) {
    return new Wrong(rule, volume("data", change));
  }

  static Stream<Wrong> wrongOnes() {
    return Stream.of(
        wrongVolume("a size of no whole blocks", s -> s.withSize(Quantity.parse("1048577"))),
        wrongVolume("too small", s -> s.withSize(Quantity.parse("4Ki"))),
        wrongVolume("no replica", s -> s.withNumberOfReplicas(0)),
        wrongVolume("too many replicas", s -> s.withNumberOfReplicas(21)),
        wrongVolume("too few snapshots", s -> s.withSnapshotMaxCount(1)),
        wrongVolume("stale at once", s -> s.withStaleReplicaTimeout(0)),
        wrongVolume("a witness of three", s -> s.withWitness(true)),
        wrongVolume(
            "strictly local in three places", s -> s.withDataLocality(DataLocality.STRICT_LOCAL)),
        wrongVolume(
            "a strictly local clone",
            s ->
                s.withDataLocality(DataLocality.STRICT_LOCAL)
                    .withNumberOfReplicas(1)
                    .withCloneSource(Optional.of(new CloneSource("other", "")))),
        wrongVolume("a clone of itself", s -> s.withCloneSource(clone("data"))),
        wrongVolume("a clone of nothing", s -> s.withCloneSource(clone(""))),
        wrongVolume(
            "migratable, but for one",
            s -> s.withMigratable(true).withAccessMode(AccessMode.READ_WRITE_ONCE)),
        wrongVolume(
            "moving to where it is", s -> s.withNodeID("node-1").withMigrationNodeID("node-1")),
        wrongVolume("no name of an engine", s -> s.withDataEngine("No Engine")),
        wrongVolume("no frontend", s -> s.withFrontend("")),
        wrongVolume("no name of a node", s -> s.withNodeID("Node_1")),
        wrongVolume("less than nothing", s -> s.withQos(VolumeQos.EMPTY.withIops(-1))),
        wrongVolume("a long burst", s -> s.withQos(VolumeQos.EMPTY.withBurstSeconds(3601))),
        wrongVolume(
            "salvage of nothing", s -> s.withSalvage(new SalvageRequest("once", List.of()))),
        new Wrong("a name that is not a label", volume("x".repeat(64), s -> s)),
        new Wrong(
            "an attachment of another volume",
            VolumeAttachment.of("data", new VolumeAttachmentSpec("other", Map.of()))),
        new Wrong(
            "a ticket under another id",
            VolumeAttachment.of("data", attachment("a", AttachmentTicket.EMPTY.withId("b")))),
        new Wrong(
            "a ticket of no type",
            VolumeAttachment.of(
                "data", attachment("a", AttachmentTicket.EMPTY.withId("a").withType("")))),
        new Wrong(
            "running nowhere",
            Engine.of(
                "e", EngineSpec.EMPTY.withVolume("data").withDesireState(DesireState.RUNNING))),
        new Wrong("an engine of nothing", Engine.of("e", EngineSpec.EMPTY)),
        new Wrong(
            "half a place",
            Replica.of(
                "r",
                ReplicaSpec.EMPTY
                    .withVolume("data")
                    .withDataDirectoryName("data-1")
                    .withNodeID("node-1"))),
        new Wrong(
            "a node and a shared disk",
            Replica.of(
                "r",
                ReplicaSpec.EMPTY
                    .withVolume("data")
                    .withDataDirectoryName("data-1")
                    .withNodeID("node-1")
                    .withDiskID("disk-1")
                    .withDiskPath("/disk-1")
                    .withDiskUUID("uuid-1"))),
        new Wrong(
            "less than no retry",
            Replica.of(
                "r",
                ReplicaSpec.EMPTY
                    .withVolume("data")
                    .withDataDirectoryName("data-1")
                    .withRebuildRetryCount(-1))),
        new Wrong(
            "no name of a snapshot",
            Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("data").withSnapshotName("-first"))),
        new Wrong(
            "a long request",
            Snapshot.of(
                "s", SnapshotSpec.EMPTY.withVolume("data").withRevertRequest("x".repeat(254)))),
        new Wrong(
            "a path that begins nowhere",
            Node.of(
                "n",
                new NodeSpec(
                    true, List.of(), Map.of("d", DiskSpec.EMPTY.withPath("disk")), false))),
        new Wrong("an event without a reason", Event.of("e", EventSpec.EMPTY)),
        wrongRecord("an engine with a dot", RECORD.withEngine("a.b")),
        wrongRecord("a long name of an engine", RECORD.withEngine("e".repeat(64))),
        wrongRecord("a record without a name", RECORD.withName("")),
        wrongRecord("a long name of a record", RECORD.withName("n".repeat(181))),
        wrongRecord("a record that no write made", RECORD.withVersion(0)),
        wrongRecord("a write without an identity", RECORD.withWriter("")),
        wrongRecord("a long identity of a write", RECORD.withWriter("w".repeat(65))),
        wrongRecord("a large record", RECORD.withValue("A".repeat(87_388))),
        new Wrong(
            "a record under another name",
            StoredEngineRecord.of(RECORD).withMetadata(ObjectMeta.named("pooled.b"))),
        wrongShare("an address without an interface", SHARE.withAddress("10.0.0.9/24")),
        wrongShare("a port that is too large", SHARE.withPort(65_536)),
        wrongShare("a short lease", SHARE.withLeaseSeconds(4)),
        wrongShare("a grace below the lease", SHARE.withLeaseSeconds(20)),
        wrongShare("a long grace", SHARE.withGraceSeconds(181)),
        wrongShare("a key without a place", SHARE.withKeyFile("key")),
        wrongShare("a long request to trim", SHARE.withTrimRequest("x".repeat(254))),
        wrongShare(
            "another filesystem", SHARE.withFilesystem(ShareFilesystem.DEFAULT.withType("zfs"))),
        wrongShare(
            "a client by its name", SHARE.withAllowedClients(List.of(AllowedClient.of("web.one")))),
        wrongImage("an image from nowhere", IMAGE.withSourceType("")),
        wrongImage("no name of a source", IMAGE.withSourceType("Down Load")),
        wrongImage("half a checksum", IMAGE.withChecksum("ab")),
        wrongImage("no copy", IMAGE.withMinNumberOfCopies(0)),
        wrongImage("too many copies", IMAGE.withMinNumberOfCopies(21)),
        wrongImage("no engine of an image", IMAGE.withDataEngine("No Engine")),
        new Wrong("a long name of an image", BackingImage.of("x".repeat(64), IMAGE)),
        new Wrong(
            "a delivery of no image",
            BackingImageDataSource.of(
                "debian", BackingImageDataSourceSpec.EMPTY.withSourceType("upload"))),
        new Wrong(
            "files of no disk",
            BackingImageManager.of(
                "m", BackingImageManagerSpec.EMPTY.withNodeID("node-1").withDiskPath("/disk"))),
        new Wrong(
            "a share under another name",
            ShareManager.of(SHARE).withMetadata(ObjectMeta.named("other"))));
  }

  private static final ShareManagerSpec SHARE = ShareManagerSpec.EMPTY.withVolume("data");

  private static Wrong wrongShare(String rule, ShareManagerSpec spec) {
    return new Wrong(rule, ShareManager.of(spec));
  }

  private static final BackingImageSpec IMAGE = BackingImageSpec.EMPTY.withSourceType("download");

  private static Wrong wrongImage(String rule, BackingImageSpec spec) {
    return new Wrong(rule, BackingImage.of("debian", spec));
  }

  private static final StoredEngineRecordSpec RECORD =
      new StoredEngineRecordSpec("pooled", "a", 1, "w", false, "");

  private static Wrong wrongRecord(String rule, StoredEngineRecordSpec spec) {
    return new Wrong(rule, StoredEngineRecord.of(spec));
  }

  private static Optional<CloneSource> clone(String volume) {
    return Optional.of(new CloneSource(volume, ""));
  }

  private static VolumeAttachmentSpec attachment(String key, AttachmentTicket ticket) {
    AttachmentTicket whole =
        ticket.type().isEmpty() && ticket.id().equals("b") ? ticket.withType("api") : ticket;
    return new VolumeAttachmentSpec("data", Map.of(key, whole));
  }

  /**
   * The model and the API server reject the same resources, although each has its own copy of the
   * rules.
   */
  @ParameterizedTest
  @MethodSource("wrongOnes")
  void bothRefuse(Wrong wrong) throws Exception {
    assertThat(modelRefuses(wrong.resource())).as("the model refuses").isTrue();
    ObjectNode tree = JSON.tree(wrong.resource());
    tree.remove("status");

    Kubectl.Result created =
        kubectl.runWith(JSON.write(tree), "create", "--validate=false", "-f", "-");

    assertThat(created.output()).contains("is invalid");
    assertThat(created.code()).isNotZero();
  }

  private static <R extends Resource<R>> boolean modelRefuses(Resource<R> resource) {
    R typed = resource.resourceKind().type().cast(resource);
    return catchThrowableOfType(InvalidResourceException.class, () -> Resources.requireValid(typed))
        != null;
  }

  @Test
  void immutableFieldsDoNotChange() throws Exception {
    try (KubernetesResourceStore store = TestCluster.store(TestCluster.server().kubeconfig())) {
      store.create(volume("data", spec -> spec));
    }

    for (String change :
        List.of(
            "{\"spec\":{\"size\":\"512Mi\"}}",
            "{\"spec\":{\"dataEngine\":\"lvm\"}}",
            "{\"spec\":{\"accessMode\":\"rwx\"}}",
            "{\"spec\":{\"cloneSource\":{\"volume\":\"other\"}}}")) {
      Kubectl.Result patched =
          kubectl.run("patch", "volumes.holdfast.dev", "data", "--type=merge", "-p", change);
      assertThat(patched.output()).as(change).contains("is invalid");
    }
    assertThat(
            kubectl
                .run(
                    "patch",
                    "volumes.holdfast.dev",
                    "data",
                    "--type=merge",
                    "-p",
                    "{\"spec\":{\"size\":\"2Gi\"}}")
                .code())
        .isZero();
  }
}
