package dev.holdfast.attacher.volume.content.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Lazy restores that begin, learn what is to be copied, fail and end. */
class VolumeContentAttacherTest extends AttacherKit {
  private static final List<String> RESTORED = List.of("b", "c", "whole");
  private static final String ADDRESS = "file:///backups?backup=b1&volume=v1";
  private static final List<CloneState> STATES = List.of(CloneState.values());

  @Override
  protected Reconciler<?> attacher() {
    return new VolumeContentAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    Volumes.create(store, "a");
    Volume whole = Volumes.detached("whole");
    store.create(whole.withSpec(whole.spec().withFromBackup(ADDRESS)));
    store.create(VolumeAttachment.of("whole", new VolumeAttachmentSpec("whole", Map.of())));
    for (String name : List.of("b", "c")) {
      Volume volume = Volumes.detached(name);
      store.create(
          volume.withSpec(volume.spec().withFromBackup(ADDRESS).withRestoreMode(RestoreMode.LAZY)));
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
      if (volume.spec().restoreMode() == RestoreMode.LAZY
          && volume.status().restore().state() == CloneState.INITIATED
          && volume.status().restore().regionSize().bytes() > 0) {
        wanted.add(
            new ExpectedTicket(
                "volume-content-controller-" + volume.name(),
                TicketDemand.withAnyFrontend(volume.name())));
      }
    }
    return wanted;
  }

  @Test
  void workloadsInterruptIt() {
    assertThat(new VolumeContentAttacher().priority()).isEqualTo(800);
    assertThat(new VolumeContentAttacher().role()).isEqualTo(AttacherProvider.Role.INTERRUPTIBLE);
  }
}
