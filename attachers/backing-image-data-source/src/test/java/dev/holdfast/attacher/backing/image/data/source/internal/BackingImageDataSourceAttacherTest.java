package dev.holdfast.attacher.backing.image.data.source.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageDataSourceSpec;
import dev.holdfast.resource.image.BackingImageDataSourceStatus;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Exports that begin, move, fail, are tried again, and end. */
class BackingImageDataSourceAttacherTest extends AttacherKit {
  private static final List<String> IMAGES = List.of("x", "y");
  private static final List<String> VOLUMES = List.of("a", "b");

  @Override
  protected Reconciler<?> attacher() {
    return new BackingImageDataSourceAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    for (String volume : VOLUMES) {
      Volumes.create(store, volume);
    }
  }

  private static BackingImageDataSource export(String image, String volume) {
    return BackingImageDataSource.of(
        image,
        new BackingImageDataSourceSpec(
            "uuid-" + image,
            "node-1",
            "disk",
            "/disk",
            "export-from-volume",
            volume.isEmpty() ? Map.of() : Map.of("volume-name", volume),
            "",
            false));
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    String image = IMAGES.get(random.nextInt(IMAGES.size()));
    Optional<BackingImageDataSource> present = store.get(BackingImageDataSource.KIND, image);
    if (present.isEmpty()) {
      int volume = random.nextInt(VOLUMES.size() + 1);
      store.create(export(image, volume < VOLUMES.size() ? VOLUMES.get(volume) : ""));
      return;
    }
    BackingImageDataSource source = present.get();
    BackingImageDataSourceSpec spec = source.spec();
    switch (random.nextInt(5)) {
      case 0 -> store.delete(BackingImageDataSource.KIND, image, "");
      case 1 -> store.update(source.withSpec(spec.withNodeID("node-" + random.nextInt(3))));
      case 2 -> store.update(source.withSpec(spec.withFileTransferred(random.nextBoolean())));
      default -> store.updateStatus(source.withStatus(status(random)));
    }
  }

  private static BackingImageDataSourceStatus status(Random random) {
    ImageState[] states = ImageState.values();
    return BackingImageDataSourceStatus.EMPTY
        .withCurrentState(states[random.nextInt(states.length)])
        .withNextAttemptAt(random.nextBoolean() ? Optional.of(Instant.EPOCH) : Optional.empty());
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    for (BackingImageDataSource source :
        store.list(BackingImageDataSource.KIND, LabelSelector.ALL).items()) {
      String volume = source.spec().parameters().getOrDefault("volume-name", "");
      boolean lost =
          source.status().currentState() == ImageState.FAILED
              && source.status().nextAttemptAt().isEmpty();
      boolean delivered =
          source.spec().fileTransferred()
              || source.status().currentState() == ImageState.READY_FOR_TRANSFER;
      if (!volume.isEmpty() && !lost && !delivered) {
        wanted.add(
            new ExpectedTicket(
                "bim-ds-controller-" + source.name(),
                TicketDemand.withAnyFrontend(volume).at(source.spec().nodeID())));
      }
    }
    return wanted;
  }

  @Test
  void workloadsDoNotInterruptIt() {
    assertThat(new BackingImageDataSourceAttacher().priority()).isEqualTo(800);
    assertThat(new BackingImageDataSourceAttacher().role())
        .isEqualTo(AttacherProvider.Role.UNINTERRUPTIBLE);
  }
}
