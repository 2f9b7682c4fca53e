package dev.holdfast.attacher.volume.content.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Requests a volume on any node while it is restored lazily. A workload may interrupt this ticket
 * and take the volume to another node, where the restore continues.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class VolumeContentAttacher extends SubjectAttacher<Volume> {
  private static final int PRIORITY = 800;

  /** Creates the attacher. */
  @Activate
  public VolumeContentAttacher() {
    super(Volume.KIND, List.of());
  }

  @Override
  public String name() {
    return "volume-content-controller";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public Role role() {
    return Role.INTERRUPTIBLE;
  }

  @Override
  protected List<TicketDemand> demands(Volume volume, ResourceReader reader) {
    boolean filling =
        volume.spec().restoreMode() == RestoreMode.LAZY
            && volume.isBeingCopied()
            && !volume.isBeingDeleted();
    return filling ? List.of(TicketDemand.withAnyFrontend(volume.name())) : List.of();
  }
}
