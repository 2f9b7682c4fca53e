package dev.holdfast.attacher.volume.rebuilding.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Requests a volume that no client uses while it has too few healthy replicas and a rebuild is
 * possible.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class VolumeRebuildingAttacher extends SubjectAttacher<Volume> {
  private static final int PRIORITY = 800;

  /** Creates the attacher. */
  @Activate
  public VolumeRebuildingAttacher() {
    super(
        Volume.KIND,
        List.of(
            new Watched<>(Replica.KIND, replica -> List.of(replica.spec().volume())),
            Watched.wakingAll(Node.KIND),
            Watched.wakingAll(Setting.KIND)));
  }

  @Override
  public String name() {
    return "volume-rebuilding-controller";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  /** An interrupted rebuild continues on the node to which the volume is attached next. */
  @Override
  public Role role() {
    return Role.INTERRUPTIBLE;
  }

  @Override
  protected List<TicketDemand> demands(Volume volume, ResourceReader reader)
      throws StorageException {
    boolean wanted =
        PlatformSettings.OFFLINE_REBUILD.isOn(
            reader.get(Setting.KIND, PlatformSettings.OFFLINE_REBUILD.name()));
    List<Replica> replicas =
        reader.list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume.name()));
    boolean needed =
        wanted
            && OfflineRebuild.isNeeded(volume, replicas)
            && OfflineRebuild.isPossible(
                volume, replicas, reader.list(Node.KIND, LabelSelector.ALL));
    return needed ? List.of(TicketDemand.withAnyFrontend(volume.name())) : List.of();
  }
}
