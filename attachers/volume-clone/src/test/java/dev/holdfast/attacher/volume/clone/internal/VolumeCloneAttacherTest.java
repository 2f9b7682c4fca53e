package dev.holdfast.attacher.volume.clone.internal;

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
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Copies that begin, get a node, fail and end. */
class VolumeCloneAttacherTest extends AttacherKit {
  private static final List<String> COPIES = List.of("b", "c");
  private static final List<CloneState> STATES = List.of(CloneState.values());

  @Override
  protected Reconciler<?> attacher() {
    return new VolumeCloneAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    Volumes.create(store, "a");
    for (String copy : COPIES) {
      store.create(copyOfA(copy));
      store.create(VolumeAttachment.of(copy, new VolumeAttachmentSpec(copy, Map.of())));
    }
  }

  private static Volume copyOfA(String name) {
    Volume volume = Volumes.detached(name);
    CloneSource source = new CloneSource("a", "");
    return volume.withSpec(volume.spec().withCloneSource(Optional.of(source)));
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    CloneState state = STATES.get(random.nextInt(STATES.size()));
    String node = random.nextBoolean() ? "node-1" : "";
    Quantity region = new Quantity(random.nextBoolean() ? 1 << 20 : 0);
    Volumes.status(
        store,
        COPIES.get(random.nextInt(COPIES.size())),
        status ->
            status.withCloneStatus(
                status.cloneStatus().withState(state).withNodeID(node).withRegionSize(region)));
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      if (volume.status().cloneStatus().state() == CloneState.INITIATED) {
        String id = "volume-clone-controller-" + volume.name();
        wanted.add(new ExpectedTicket(id, TicketDemand.withAnyFrontend("a")));
        if (volume.isUsableWhileCopied() && !volume.status().cloneStatus().nodeID().isEmpty()) {
          TicketDemand copy =
              TicketDemand.withAnyFrontend(volume.name())
                  .at(volume.status().cloneStatus().nodeID());
          wanted.add(new ExpectedTicket(id, copy));
        }
      }
    }
    return wanted;
  }

  @Test
  void theCopyIsAttachedWhereItsSourceIsAsSoonAsItCanBeUsed() {
    Volume copy = copyOfA("b");
    CloneStatus waits = CloneStatus.EMPTY.withState(CloneState.INITIATED).withNodeID("node-2");
    CloneStatus usable = waits.withRegionSize(new Quantity(1 << 20));
    VolumeCloneAttacher attacher = new VolumeCloneAttacher();
    assertThat(attacher.demands(copy.withStatus(copy.status().withCloneStatus(waits)), null))
        .containsExactly(TicketDemand.withAnyFrontend("a"));
    assertThat(attacher.demands(copy.withStatus(copy.status().withCloneStatus(usable)), null))
        .containsExactly(
            TicketDemand.withAnyFrontend("a"), TicketDemand.withAnyFrontend("b").at("node-2"));
  }

  @Test
  void workloadsDoNotInterruptIt() {
    assertThat(new VolumeCloneAttacher().priority()).isEqualTo(800);
    assertThat(new VolumeCloneAttacher().role()).isEqualTo(AttacherProvider.Role.UNINTERRUPTIBLE);
  }
}
