package dev.holdfast.attacher.volume.restore.internal;

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
 * Requests a volume without a frontend while it is restored from a backup, so that no client reads
 * partial content.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class VolumeRestoreAttacher extends SubjectAttacher<Volume> {
  private static final int PRIORITY = 2000;

  /** Creates the attacher. */
  @Activate
  public VolumeRestoreAttacher() {
    super(Volume.KIND, List.of());
  }

  @Override
  public String name() {
    return "volume-restore-controller";
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
  protected List<TicketDemand> demands(Volume volume, ResourceReader reader) {
    boolean restored =
        !volume.spec().fromBackup().isEmpty()
            && volume.spec().restoreMode() == RestoreMode.WHOLE
            && volume.isBeingCopied()
            && !volume.isBeingDeleted();
    return restored ? List.of(TicketDemand.withoutFrontend(volume.name())) : List.of();
  }
}
