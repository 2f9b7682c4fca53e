package dev.holdfast.attacher.volume.eviction.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Requests a volume while one of its replicas must leave its disk and another disk can receive it.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class VolumeEvictionAttacher extends SubjectAttacher<Volume> {
  private static final int PRIORITY = 800;

  /** Creates the attacher. */
  @Activate
  public VolumeEvictionAttacher() {
    super(
        Volume.KIND,
        List.of(
            new Watched<>(Replica.KIND, replica -> List.of(replica.spec().volume())),
            Watched.wakingAll(Node.KIND)));
  }

  @Override
  public String name() {
    return "volume-eviction-controller";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public Role role() {
    return Role.UNINTERRUPTIBLE;
  }

  @Override
  protected List<TicketDemand> demands(Volume volume, ResourceReader reader)
      throws StorageException {
    List<Replica> replicas =
        reader.list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume.name()));
    boolean needed =
        Eviction.isNeeded(volume, replicas)
            && Eviction.isPossible(volume, replicas, reader.list(Node.KIND, LabelSelector.ALL));
    return needed ? List.of(TicketDemand.withAnyFrontend(volume.name())) : List.of();
  }
}
