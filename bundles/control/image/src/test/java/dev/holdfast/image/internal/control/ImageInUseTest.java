package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An image with a requested deletion stays while a volume or a deleted volume uses it. */
class ImageInUseTest {
  private static final String IMAGE = "debian";
  private static final VolumeSpec ON_IMAGE =
      VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")).withBackingImage(IMAGE);

  private final MemoryResourceStore memory = new MemoryResourceStore();

  /** A store in which another controller makes a change after the first list of a kind. */
  private static final class ChangedBetweenReads extends ForwardingResourceStore {
    private final ResourceKind<?> kind;
    private Optional<Change> change;

    ChangedBetweenReads(ResourceStore store, ResourceKind<?> kind, Change change) {
      super(store);
      this.kind = kind;
      this.change = Optional.of(change);
    }

    @Override
    public <R extends Resource<R>> ResourceList<R> list(
        ResourceKind<R> listed, LabelSelector selector) throws StorageException {
      ResourceList<R> found = super.list(listed, selector);
      if (listed.equals(kind) && change.isPresent()) {
        Change now = change.get();
        change = Optional.empty();
        now.make();
      }
      return found;
    }
  }

  private interface Change {
    void make() throws StorageException;
  }

  @BeforeEach
  void createTheImage() throws StorageException {
    BackingImage image =
        BackingImage.of(
            IMAGE, BackingImageSpec.EMPTY.withSourceType("upload").withDataEngine("sparse"));
    memory.create(image.withMetadata(image.metadata().plusFinalizer(BackingImage.FINALIZER)));
    memory.delete(BackingImage.KIND, IMAGE, "");
  }

  @AfterEach
  void close() {
    memory.close();
  }

  private void volume() throws StorageException {
    memory.create(Volume.of("vm", ON_IMAGE));
  }

  private void deletedVolume() throws StorageException {
    DeletedVolume deleted =
        DeletedVolume.of(
            "vm",
            DeletedVolumeSpec.EMPTY
                .withVolumeUID("gone")
                .withVolumeSpec(ON_IMAGE)
                .withDeletedAt(Optional.of(Instant.EPOCH))
                .withPurgeAt(Optional.of(Instant.EPOCH)));
    memory.create(deleted.withMetadata(deleted.metadata().minusFinalizer(DeletedVolume.FINALIZER)));
  }

  private void undelete() throws StorageException {
    volume();
    memory.delete(DeletedVolume.KIND, "vm", "");
  }

  private void delete() throws StorageException {
    deletedVolume();
    memory.delete(Volume.KIND, "vm", "");
  }

  /** Makes one step of the deletion; returns whether the image is gone. */
  private boolean advance(ResourceStore store) throws StorageException {
    BackingImage image = memory.get(BackingImage.KIND, IMAGE).orElseThrow();
    return new ImageDeletion(image, new StoreContext(store, Clock.systemUTC(), "n1")).advance();
  }

  private String reason() throws StorageException {
    return Condition.find(
            memory.get(BackingImage.KIND, IMAGE).orElseThrow().status().conditions(),
            Condition.DELETING)
        .map(Condition::message)
        .orElse("");
  }

  @Test
  void imageStaysWhileADeletedVolumeIsOnIt() throws Exception {
    deletedVolume();
    assertThat(advance(memory)).isFalse();
    assertThat(reason())
        .isEqualTo(
            "deleted volumes that are kept use the image: vm: 'holdfast volume purge' removes"
                + " them");
    memory.delete(DeletedVolume.KIND, "vm", "");
    assertThat(advance(memory)).isTrue();
  }

  @Test
  void imageStaysWhenADeletionIsTakenBackBetweenTwoReads() throws Exception {
    deletedVolume();
    assertThat(advance(new ChangedBetweenReads(memory, Volume.KIND, this::undelete))).isFalse();
    assertThat(advance(memory)).isFalse();
    assertThat(reason()).isEqualTo("volumes use the image: vm");
  }

  @Test
  void imageStaysWhenAVolumeIsDeletedBetweenTwoReads() throws Exception {
    volume();
    assertThat(advance(new ChangedBetweenReads(memory, DeletedVolume.KIND, this::delete)))
        .isFalse();
    assertThat(reason()).startsWith("deleted volumes that are kept use the image: vm");
  }
}
