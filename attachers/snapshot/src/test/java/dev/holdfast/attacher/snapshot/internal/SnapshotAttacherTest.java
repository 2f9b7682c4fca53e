package dev.holdfast.attacher.snapshot.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Snapshots that are requested, are taken, fail, are deleted and disappear. */
class SnapshotAttacherTest extends AttacherKit {
  private static final List<String> VOLUMES = List.of("a", "b");

  @Override
  protected Reconciler<?> attacher() {
    return new SnapshotAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    for (String volume : VOLUMES) {
      Volumes.create(store, volume);
    }
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    String name = "s" + random.nextInt(4);
    Optional<Snapshot> present = store.get(Snapshot.KIND, name);
    if (present.isEmpty()) {
      String volume = VOLUMES.get(random.nextInt(VOLUMES.size()));
      Snapshot snapshot = Snapshot.of(name, SnapshotSpec.EMPTY.withVolume(volume));
      store.create(
          random.nextBoolean()
              ? snapshot
              : snapshot.withMetadata(snapshot.metadata().plusFinalizer(Snapshot.FINALIZER)));
      return;
    }
    Snapshot snapshot = present.get();
    switch (random.nextInt(5)) {
      case 0 -> store.delete(Snapshot.KIND, name, "");
      case 1 ->
          store.update(
              snapshot.withMetadata(snapshot.metadata().minusFinalizer(Snapshot.FINALIZER)));
      case 2 -> store.updateStatus(snapshot.withStatus(snapshot.status().withError("broken")));
      case 3 -> store.update(snapshot.withSpec(snapshot.spec().withExported(random.nextBoolean())));
      default ->
          store.updateStatus(
              snapshot.withStatus(snapshot.status().withCreationTime(Optional.of(Instant.EPOCH))));
    }
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    for (Snapshot snapshot : store.list(Snapshot.KIND, LabelSelector.ALL).items()) {
      boolean goes = snapshot.isBeingDeleted();
      boolean known = snapshot.metadata().hasFinalizer(Snapshot.FINALIZER);
      boolean open =
          snapshot.status().error().isEmpty()
              && (snapshot.status().creationTime().isEmpty() || snapshot.spec().exported());
      if (goes ? known : open) {
        wanted.add(
            new ExpectedTicket(
                "snapshot-controller-" + snapshot.name(),
                TicketDemand.withAnyFrontend(snapshot.spec().volume())));
      }
    }
    return wanted;
  }

  @Test
  void aWorkloadMayInterruptIt() {
    assertThat(new SnapshotAttacher().priority()).isEqualTo(800);
    assertThat(new SnapshotAttacher().role()).isEqualTo(AttacherProvider.Role.INTERRUPTIBLE);
  }
}
