package dev.holdfast.attacher.share.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Shares that get a node, move, fail, stop and go. */
class ShareManagerAttacherTest extends AttacherKit {
  private static final List<String> VOLUMES = List.of("a", "b");

  @Override
  protected Reconciler<?> attacher() {
    return new ShareManagerAttacher();
  }

  @Override
  protected void prepare(ResourceStore store) throws StorageException {
    for (String volume : VOLUMES) {
      Volumes.create(store, volume);
    }
  }

  @Override
  protected void change(ResourceStore store, Random random) throws StorageException {
    String name = VOLUMES.get(random.nextInt(VOLUMES.size()));
    Optional<ShareManager> present = store.get(ShareManager.KIND, name);
    if (present.isEmpty()) {
      store.create(ShareManager.of(ShareManagerSpec.EMPTY.withVolume(name)));
      return;
    }
    ShareManagerStatus status = present.get().status();
    switch (random.nextInt(4)) {
      case 0 -> store.delete(ShareManager.KIND, name, "");
      case 1 ->
          store.updateStatus(
              present.get().withStatus(status.withState(InstanceState.STOPPED).withNodeID("")));
      case 2 -> store.updateStatus(present.get().withStatus(status.withState(InstanceState.ERROR)));
      default ->
          store.updateStatus(
              present
                  .get()
                  .withStatus(
                      status
                          .withState(InstanceState.STARTING)
                          .withNodeID("node-" + random.nextInt(3))));
    }
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    for (ShareManager share : store.list(ShareManager.KIND, LabelSelector.ALL).items()) {
      if (!share.status().nodeID().isEmpty()) {
        wanted.add(
            new ExpectedTicket(
                "share-manager-controller-" + share.name(),
                TicketDemand.withFrontend(share.name()).at(share.status().nodeID())));
      }
    }
    return wanted;
  }

  @Test
  void maintenanceIsInterruptedByIt() {
    assertThat(new ShareManagerAttacher().priority()).isEqualTo(900);
    assertThat(new ShareManagerAttacher().role()).isEqualTo(AttacherProvider.Role.WORKLOAD);
  }
}
