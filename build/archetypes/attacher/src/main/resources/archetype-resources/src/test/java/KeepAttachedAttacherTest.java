package ${package};

import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.attacher.testkit.AttacherKit;
import dev.holdfast.attacher.testkit.ExpectedTicket;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** The conformance kit, on volumes whose label comes, changes and goes. */
class KeepAttachedAttacherTest extends AttacherKit {
  private static final List<String> VOLUMES = List.of("a", "b");

  @Override
  protected Reconciler<?> attacher() {
    return new KeepAttachedAttacher();
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
    Volume volume = store.get(Volume.KIND, name).orElseThrow();
    Map<String, String> labels =
        switch (random.nextInt(3)) {
          case 0 -> Map.of();
          case 1 -> Map.of(KeepAttachedAttacher.LABEL, "false");
          default -> Map.of(KeepAttachedAttacher.LABEL, "true");
        };
    store.update(volume.withMetadata(volume.metadata().withLabels(labels)));
  }

  @Override
  protected Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      if ("true".equals(volume.metadata().labels().get(KeepAttachedAttacher.LABEL))) {
        wanted.add(
            new ExpectedTicket(
                "${artifactId}-" + volume.name(), TicketDemand.withFrontend(volume.name())));
      }
    }
    return wanted;
  }
}
