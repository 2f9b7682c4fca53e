package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageSpec;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An image whose copies have all failed. The test acts as the nodes that report the files. */
class LostDownloadTest {
  private static final String IMAGE = "debian";
  private static final String CONTENT = "sha256-16m:1";
  private static final Duration LIMIT = Duration.ofMinutes(30);

  private Simulation simulation;
  private ResourceStore store;

  @BeforeEach
  void start() throws StorageException {
    simulation =
        Simulation.builder(1).reconciler("node-1", () -> new BackingImageReconciler()).build();
    store = simulation.store();
    for (String node : List.of("node-1", "node-2")) {
      Node made =
          store.create(
              Node.of(
                  node, NodeSpec.EMPTY.withDisks(Map.of("disk", DiskSpec.EMPTY.withPath("/d")))));
      DiskStatus disk =
          DiskStatus.EMPTY.withDiskUUID("uuid-" + node).withPath("/d").withConditions(ready());
      store.updateStatus(
          made.withStatus(
              NodeStatus.EMPTY
                  .withConditions(ready())
                  .withEngines(List.of("sparse"))
                  .withDiskStatus(Map.of("disk", disk))));
    }
  }

  private static List<Condition> ready() {
    return Condition.with(
        List.of(), Condition.READY, Condition.Status.TRUE, "Test", "", Instant.EPOCH);
  }

  private BackingImageDataSource source() throws StorageException {
    return store.get(BackingImageDataSource.KIND, IMAGE).orElseThrow();
  }

  /** Reports the state of the image's file on each disk that has it. */
  private void report(ImageState state) throws StorageException {
    String uuid = store.get(BackingImage.KIND, IMAGE).orElseThrow().status().uuid();
    ImageFile file =
        ImageFile.EMPTY
            .withUuid(uuid)
            .withState(state)
            .withVirtualSize(new Quantity(4096))
            .withContentChecksum(CONTENT)
            .withLastStateTransition(Optional.of(simulation.clock().instant()));
    for (BackingImageManager manager :
        store.list(BackingImageManager.KIND, LabelSelector.ALL).items()) {
      store.updateStatus(
          manager.withStatus(manager.status().withBackingImageFileMap(Map.of(IMAGE, file))));
    }
  }

  private String loseAllCopies(String sourceType) throws StorageException {
    store.create(BackingImage.of(IMAGE, BackingImageSpec.EMPTY.withSourceType(sourceType)));
    simulation.runUntil(
        "a disk was chosen",
        LIMIT,
        current -> !current.list(BackingImageManager.KIND, LabelSelector.ALL).items().isEmpty());
    report(ImageState.READY);
    simulation.runUntil("the file was taken", LIMIT, current -> source().spec().fileTransferred());
    String node = source().spec().nodeID();
    report(ImageState.FAILED);
    return node;
  }

  @Test
  void downloadIsBegunAgainOnAnotherNodeAfterTheWait() throws StorageException {
    String first = loseAllCopies("download");
    simulation.run(Duration.ofSeconds(10));
    assertThat(source().spec().nodeID()).as("before the wait").isEqualTo(first);

    simulation.runUntil(
        "another node downloads", LIMIT, current -> !source().spec().nodeID().equals(first));
    assertThat(source().spec().fileTransferred()).isFalse();
    assertThat(source().spec().diskUUID()).isEqualTo("uuid-" + source().spec().nodeID());
  }

  @Test
  void uploadIsNotBegunAgain() throws StorageException {
    String first = loseAllCopies("upload");
    simulation.run(LIMIT);
    assertThat(source().spec().nodeID()).isEqualTo(first);
    assertThat(source().spec().fileTransferred()).isTrue();
  }
}
