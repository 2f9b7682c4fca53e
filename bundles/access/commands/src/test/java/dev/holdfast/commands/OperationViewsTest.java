package dev.holdfast.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.client.Attachments;
import dev.holdfast.client.Disks;
import dev.holdfast.client.Explanations;
import dev.holdfast.client.NodeUpgrade;
import dev.holdfast.client.Snapshots;
import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.Volumes;
import dev.holdfast.client.Waiting;
import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The text that follows an operation on a store with running controllers. */
class OperationViewsTest {
  private static final Waiting PATIENT = Waiting.upTo(Duration.ofSeconds(30));

  private final Clock clock = Clock.fixed(FakeControllers.THEN, ZoneOffset.UTC);
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final VolumeViews views = new VolumeViews(clock);
  private final Volumes volumes = new Volumes(store);
  private FakeControllers controllers;

  @BeforeEach
  void startControllers() throws Exception {
    controllers = new FakeControllers(store);
    controllers.addNode("node-1");
  }

  @AfterEach
  void stopControllers() {
    controllers.close();
  }

  private static String text(Output output) {
    return output.as(Output.Format.TEXT);
  }

  @Test
  void createdShowsRoundedSize() throws Exception {
    Volume volume = volumes.create(VolumeRequest.of("demo", "500M"), Waiting.none());
    assertThat(text(views.created(volume, "500M")))
        .isEqualTo(
            "volume demo created: 500M, rounded up to 488284Ki (a multiple of 4Ki), in 3 replicas");
    assertThat(text(views.created(volume, "488284Ki")))
        .isEqualTo("volume demo created: 488284Ki in 3 replicas");
  }

  @Test
  void deletionWhenDetachedIsShownUntilItIsCancelled() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    new Attachments(store).attach("demo", Optional.of("node-1"), PATIENT);

    Volume marked = volumes.deleteWhenDetached("demo", Optional.empty());
    assertThat(text(views.deletedWhenDetached(marked)))
        .isEqualTo(
            "volume demo is attached to node-1 and is deleted with its data once it is detached;"
                + " 'holdfast volume delete --cancel demo' takes that back");
    assertThat(text(views.volume(marked)))
        .contains("Deletion:     once it is detached", "'holdfast volume delete --cancel demo'");
    assertThat(text(new ExplanationViews().explanation(new Explanations(store).why("demo"))))
        .contains("It is deleted with its data once it is detached");

    Volume kept = volumes.cancelDeletion("demo");
    assertThat(text(views.deletionCancelled(kept))).isEqualTo("volume demo is not deleted");
    assertThat(text(views.volume(kept))).doesNotContain("Deletion:");
  }

  @Test
  void volumeOfAnUnfinishedImportNamesTheFile() {
    Volume volume = Volume.of("demo", VolumeSpec.EMPTY);
    Map<String, String> annotations = Map.of(Volume.IMPORT_UNFINISHED_ANNOTATION, "/images/raw");
    Volume broken = volume.withMetadata(volume.metadata().withAnnotations(annotations));
    assertThat(text(views.volume(broken))).contains("not finished: import /images/raw again");
  }

  @Test
  void limitsAreShown() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    Volume volume =
        volumes.change(
            "demo",
            spec -> spec.withQos(spec.qos().withIops(100).withBandwidth(Quantity.parse("10Mi"))));
    assertThat(text(views.limited(volume)))
        .isEqualTo("volume demo: at most 100 requests/s, 10Mi/s, bursts of 1 s");
  }

  @Test
  void addedDirectoryThatIsNotAMountPointWarns() throws Exception {
    NodeViews nodes = new NodeViews(clock);
    Disks disks = new Disks(store);
    assertThat(text(nodes.diskAdded(disks.add(at("/srv/a"), PATIENT))))
        .startsWith("disk a of node-1 added at /srv/a\nwarning: /srv/a is not a mount point")
        .contains("of /srv with");
    assertThat(text(nodes.diskAdded(disks.add(at("/srv"), PATIENT))))
        .isEqualTo("disk srv of node-1 added at /srv");
  }

  private static Disks.Request at(String path) {
    return new Disks.Request(Path.of(path), Optional.empty(), Optional.empty(), List.of("ssd"));
  }

  @Test
  void rolledBackUpgradeNamesTheReason() {
    NodeUpgrade upgrade =
        new NodeUpgrade(
            "node-2",
            JsonNodeFactory.instance
                .objectNode()
                .put("source", "/plugin.jar")
                .put("state", "WENT_BACK")
                .put("reason", "planted"));
    assertThat(text(new UpgradeViews().upgrades(List.of(upgrade))))
        .contains("node node-2: /plugin.jar: went back: planted");
  }

  private Snapshot taken(String name, String parent, List<String> children, boolean byUser)
      throws Exception {
    SnapshotStatus status =
        SnapshotStatus.EMPTY
            .withReadyToUse(true)
            .withCreationTime(Optional.of(FakeControllers.THEN))
            .withParent(parent)
            .withChildren(children)
            .withUserCreated(byUser)
            .withSize(Quantity.parse("1Mi"));
    SnapshotSpec spec = SnapshotSpec.EMPTY.withVolume("demo").withSnapshotName(name);
    return store.create(Snapshot.of(Snapshot.nameFor("demo", name), spec).withStatus(status));
  }

  private void lost(Snapshot snapshot) throws Exception {
    store.updateStatus(
        snapshot.withStatus(snapshot.status().withReadyToUse(false).withError("lost")));
  }

  private List<String> tree() throws Exception {
    return text(new SnapshotViews(clock).tree("demo", new Snapshots(store, clock).list("demo")))
        .lines()
        .map(line -> line.replaceAll("  +$", ""))
        .toList();
  }

  @Test
  void treeShowsEachSnapshotBelowItsParent() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    taken("first", "", List.of("second", "other"), true);
    taken("second", "first", List.of(), false);
    taken("other", "first", List.of("volume-head"), true);
    assertThat(tree())
        .containsExactly(
            "SNAPSHOT             SIZE   BY       AGE   STATE",
            "first                1Mi    user     0s    ready",
            "  other              1Mi    user     0s    ready",
            "    (live content)   -      -        -     -",
            "  second             1Mi    system   0s    ready");
  }

  @Test
  void treeOmitsSnapshotsThatTheSystemHasGivenUpAndShowsLiveContentOnce() throws Exception {
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
    taken("first", "", List.of("rebuild-1"), true);
    lost(taken("old", "", List.of("volume-head"), true));
    Snapshot join = taken("rebuild-1", "first", List.of("volume-head"), false);
    store.updateStatus(join.withStatus(join.status().withMarkRemoved(true).withReadyToUse(false)));
    lost(taken("rebuild-0", "", List.of("volume-head"), false));
    assertThat(tree())
        .containsExactly(
            "SNAPSHOT           SIZE   BY     AGE   STATE",
            "first              1Mi    user   0s    ready",
            "  (live content)   -      -      -     -",
            "old                1Mi    user   0s    error: lost");
    assertThat(namesInJson()).containsExactlyInAnyOrder("first", "old");
  }

  private List<String> namesInJson() throws Exception {
    List<String> names = new ArrayList<>();
    new SnapshotViews(clock)
        .tree("demo", new Snapshots(store, clock).list("demo"))
        .json()
        .get()
        .get("items")
        .forEach(item -> names.add(item.get("spec").get("snapshotName").asText()));
    return names;
  }
}
