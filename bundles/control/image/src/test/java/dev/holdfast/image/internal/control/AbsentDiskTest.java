package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.DiskFileSpec;
import dev.holdfast.resource.image.DiskFileStatus;
import dev.holdfast.resource.image.ImageFile;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Copies of an image on absent nodes whose last report shows no failure. The test acts as the nodes
 * that report the files.
 */
class AbsentDiskTest {
  private static final String IMAGE = "debian";
  private static final Duration LIMIT = Duration.ofHours(1);

  /** Longer than the difference of the simulated nodes' clocks. */
  private static final String WAIT_SECONDS = "1800";

  private static final List<String> NODES = List.of("node-1", "node-2", "node-3");

  private Simulation simulation;
  private ResourceStore store;
  private List<String> holders;

  @BeforeEach
  void start() throws StorageException {
    simulation =
        Simulation.builder(1).reconciler("node-1", () -> new BackingImageReconciler()).build();
    store = simulation.store();
    store.create(Setting.of("backing-image-recovery-wait-interval", new SettingSpec(WAIT_SECONDS)));
    for (String node : NODES) {
      Node made =
          store.create(
              Node.of(
                  node, NodeSpec.EMPTY.withDisks(Map.of("disk", DiskSpec.EMPTY.withPath("/d")))));
      DiskStatus disk =
          DiskStatus.EMPTY.withDiskUUID("uuid-" + node).withPath("/d").withConditions(ready(true));
      store.updateStatus(
          made.withStatus(
              NodeStatus.EMPTY
                  .withConditions(ready(true))
                  .withEngines(List.of("sparse"))
                  .withDiskStatus(Map.of("disk", disk))));
    }
    store.create(
        BackingImage.of(
            IMAGE, BackingImageSpec.EMPTY.withSourceType("upload").withMinNumberOfCopies(2)));
    simulation.runUntil("a disk was chosen", LIMIT, current -> !managers().isEmpty());
    reportReady();
    simulation.runUntil("a second disk was chosen", LIMIT, current -> managers().size() == 2);
    reportReady();
    simulation.run(Duration.ofMinutes(1));
    holders = new ArrayList<>(managers().stream().map(m -> m.spec().nodeID()).toList());
    assertThat(entries()).hasSize(2);
  }

  private List<Condition> ready(boolean holds) {
    Condition.Status status = holds ? Condition.Status.TRUE : Condition.Status.FALSE;
    Instant since = holds ? Instant.EPOCH : simulation.clock().instant();
    return Condition.with(List.of(), Condition.READY, status, "Test", "", since);
  }

  private List<BackingImageManager> managers() throws StorageException {
    return store.list(BackingImageManager.KIND, LabelSelector.ALL).items();
  }

  private BackingImage image() throws StorageException {
    return store.get(BackingImage.KIND, IMAGE).orElseThrow();
  }

  private Set<String> entries() throws StorageException {
    return image().spec().diskFileSpecMap().keySet();
  }

  private void reportReady() throws StorageException {
    ImageFile file =
        ImageFile.EMPTY
            .withUuid(image().status().uuid())
            .withState(ImageState.READY)
            .withVirtualSize(new Quantity(4096))
            .withContentChecksum("sha256-16m:1")
            .withLastStateTransition(Optional.of(simulation.clock().instant()));
    for (BackingImageManager manager : managers()) {
      store.updateStatus(
          manager.withStatus(manager.status().withBackingImageFileMap(Map.of(IMAGE, file))));
    }
  }

  /** Makes a node present or absent. Returns the time of the change. */
  private Instant set(String name, boolean present) {
    try {
      Node node = store.get(Node.KIND, name).orElseThrow();
      List<Condition> conditions = ready(present);
      store.updateStatus(node.withStatus(node.status().withConditions(conditions)));
      return conditions.get(0).lastTransitionTime();
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  private void evict(String node) throws StorageException {
    Map<String, DiskFileSpec> disks = new TreeMap<>(image().spec().diskFileSpecMap());
    disks.put("uuid-" + node, new DiskFileSpec(true));
    BackingImage image = image();
    store.update(image.withSpec(image.spec().withDiskFileSpecMap(disks)));
  }

  @Test
  void anotherDiskTakesACopyOnceANodeIsAwayForTheWait() throws StorageException {
    set(holders.get(1), false);
    simulation.run(Duration.ofMinutes(2));
    assertThat(entries()).as("before the wait").hasSize(2);

    simulation.runUntil("a third disk has an entry", LIMIT, current -> entries().size() == 3);
    assertThat(entries()).contains("uuid-" + holders.get(1));
  }

  @Test
  void statusSaysSinceWhenACopyOfANodeThatIsAwayIsUnknown() throws StorageException {
    Instant left = set(holders.get(1), false);
    simulation.run(Duration.ofMinutes(2));
    DiskFileStatus away = image().status().diskFileStatusMap().get("uuid-" + holders.get(1));
    assertThat(away.state()).isEqualTo(ImageState.UNKNOWN);
    assertThat(away.message()).contains(holders.get(1)).contains("was ready before");
    assertThat(away.lastStateTransition()).contains(left);
    assertThat(image().isReady()).as("while one copy is in reach").isTrue();

    set(holders.get(0), false);
    simulation.run(Duration.ofMinutes(2));
    assertThat(Condition.find(image().status().conditions(), Condition.READY))
        .get()
        .satisfies(
            condition -> {
              assertThat(condition.status()).isEqualTo(Condition.Status.FALSE);
              assertThat(condition.reason()).isEqualTo("NoCopyInReach");
              assertThat(condition.message()).contains(holders.get(0));
            });

    holders.forEach(node -> assertThat(set(node, true)).isNotNull());
    simulation.runUntil("the copies are ready again", LIMIT, current -> readyCopies() == 2);
    assertThat(image().isReady()).isTrue();
  }

  private long readyCopies() throws StorageException {
    return image().status().diskFileStatusMap().values().stream()
        .filter(file -> file.state() == ImageState.READY)
        .count();
  }

  @Test
  void noOtherCopyIsGivenUpForThatOfANodeThatIsAway() throws StorageException {
    BackingImage image = image();
    store.update(image.withSpec(image.spec().withMinNumberOfCopies(1)));
    NODES.stream().filter(node -> !holders.contains(node)).forEach(this::cordon);
    set(holders.get(1), false);
    evict(holders.get(0));
    simulation.run(LIMIT);
    assertThat(entries()).contains("uuid-" + holders.get(0));

    set(holders.get(1), true);
    simulation.runUntil(
        "the evicted copy is given up",
        LIMIT,
        current -> entries().equals(Set.of("uuid-" + holders.get(1))));
  }

  private void cordon(String name) {
    try {
      Node node = store.get(Node.KIND, name).orElseThrow();
      store.update(
          node.withSpec(
              node.spec()
                  .withDisks(
                      Map.of("disk", DiskSpec.EMPTY.withPath("/d").withAllowScheduling(false)))));
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }
}
