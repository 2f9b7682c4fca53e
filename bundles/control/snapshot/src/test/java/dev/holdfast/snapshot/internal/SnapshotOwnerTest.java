package dev.holdfast.snapshot.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Snapshots whose volume was deleted. */
class SnapshotOwnerTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private DeletedVolume deleted;

  @BeforeEach
  void keepTheVolume() throws StorageException {
    deleted =
        store.create(
            DeletedVolume.of(
                "v",
                DeletedVolumeSpec.EMPTY
                    .withVolumeUID("gone")
                    .withDeletedAt(Optional.of(Instant.EPOCH))
                    .withPurgeAt(Optional.of(Instant.EPOCH.plusSeconds(60)))));
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Creates a snapshot that was taken, according to its finalizer. */
  private void createOf(Resource<?> owner) throws StorageException {
    ObjectMeta metadata =
        ObjectMeta.named("s")
            .plusFinalizer(Snapshot.FINALIZER)
            .withOwnerReferences(List.of(OwnerReference.controller(owner)));
    Snapshot wanted = Snapshot.of("s", SnapshotSpec.EMPTY.withVolume("v"));
    Snapshot created = store.create(wanted.withMetadata(metadata));
    assertThat(created.isRequested()).isTrue();
  }

  private Optional<Snapshot> reconciled() throws StorageException {
    new SnapshotOwnerReconciler()
        .reconcile("s", new StoreContext(store, Clock.systemUTC(), "node-1"));
    return store.get(Snapshot.KIND, "s");
  }

  @Test
  void snapshotStaysWhileItsDeletedVolumeIsKept() throws Exception {
    createOf(deleted);
    assertThat(reconciled()).isPresent();
  }

  @Test
  void snapshotOfAnEarlierVolumeOfTheNameGoes() throws Exception {
    createOf(deleted.withMetadata(deleted.metadata().withUid("earlier")));
    assertThat(reconciled()).isEmpty();
  }

  @Test
  void snapshotGoesWithItsDeletedVolume() throws Exception {
    createOf(deleted);
    store.update(deleted.withMetadata(deleted.metadata().withFinalizers(List.of())));
    store.delete(DeletedVolume.KIND, "v", "");
    assertThat(reconciled()).isEmpty();
  }
}
