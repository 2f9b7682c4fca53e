package dev.holdfast.attacher.volume.restore.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.RestoreStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeStatus;
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

/** Restores that begin, learn what is to be copied, fail and end. */
class VolumeRestoreAttacherTest extends AttacherKit {
  private static final List<String> RESTORED = List.of("b", "c", "lazy");
  private static final List<CloneState> STATES = List.of(CloneState.values());

  @Override
  protected Reconciler<?> attacher() {
    return new VolumeRestoreAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    Volumes.create(store, "a");
    Volume lazy = Volumes.detached("lazy");
    store.create(
        lazy.withSpec(
            lazy.spec()
                .withFromBackup("file:///backups?backup=b1&volume=v1")
                .withRestoreMode(RestoreMode.LAZY)));
    store.create(VolumeAttachment.of("lazy", new VolumeAttachmentSpec("lazy", Map.of())));
    for (String name : List.of("b", "c")) {
      Volume volume = Volumes.detached(name);
      store.create(
          volume.withSpec(volume.spec().withFromBackup("file:///backups?backup=b1&volume=v1")));
      store.create(VolumeAttachment.of(name, new VolumeAttachmentSpec(name, Map.of())));
    }
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    CloneState state = STATES.get(random.nextInt(STATES.size()));
    Quantity region = new Quantity(random.nextBoolean() ? 2 << 20 : 0);
    Volumes.status(
        store,
        RESTORED.get(random.nextInt(RESTORED.size())),
        status -> status.withRestore(status.restore().withState(state).withRegionSize(region)));
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      if (volume.spec().restoreMode() == RestoreMode.WHOLE
          && volume.status().restore().state() == CloneState.INITIATED
          && volume.status().restore().regionSize().bytes() > 0) {
        wanted.add(
            new ExpectedTicket(
                "volume-restore-controller-" + volume.name(),
                TicketDemand.withoutFrontend(volume.name())));
      }
    }
    return wanted;
  }

  @Test
  void ticketEndsWhenTheVolumeIsDeleted() {
    Volume restored =
        Volumes.detached("b")
            .withStatus(
                VolumeStatus.EMPTY.withRestore(
                    RestoreStatus.EMPTY
                        .withState(CloneState.INITIATED)
                        .withRegionSize(new Quantity(2 << 20))));
    restored = restored.withSpec(restored.spec().withFromBackup("file:///backups?backup=b1"));
    VolumeRestoreAttacher attacher = new VolumeRestoreAttacher();
    ResourceReader reader = new NoResources();
    assertThat(attacher.demands(restored, reader)).hasSize(1);
    Volume deleted =
        restored.withMetadata(
            restored.metadata().withDeletionTimestamp(Optional.of(Instant.EPOCH)));
    assertThat(attacher.demands(deleted, reader)).isEmpty();
  }

  /** The demands rest on the volume alone. */
  private static final class NoResources implements ResourceReader {
    @Override
    public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
      throw new AssertionError("reads " + kind.kind() + " " + name);
    }

    @Override
    public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector) {
      throw new AssertionError("lists " + kind.kind());
    }
  }

  @Test
  void workloadsDoNotInterruptIt() {
    assertThat(new VolumeRestoreAttacher().priority()).isEqualTo(2000);
    assertThat(new VolumeRestoreAttacher().role()).isEqualTo(AttacherProvider.Role.UNINTERRUPTIBLE);
  }
}
