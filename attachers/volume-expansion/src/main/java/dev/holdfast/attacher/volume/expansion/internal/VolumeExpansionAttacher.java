package dev.holdfast.attacher.volume.expansion.internal;

import dev.holdfast.attacher.AttacherType;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.resource.Robustness;
import dev.holdfast.resource.Volume;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Asks for a volume while it has to be attached to get the size that is wanted. */
@Component(service = {AttacherType.class, Reconciler.class})
public final class VolumeExpansionAttacher extends SubjectAttacher<Volume> {
  private static final int PRIORITY = 2000;

  /** Creates the attacher. */
  @Activate
  public VolumeExpansionAttacher() {
    super(Volume.KIND, List.of());
  }

  @Override
  public String name() {
    return "volume-expansion-controller";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public Role role() {
    return Role.UNINTERRUPTIBLE;
  }

  /** With the frontend: filesystems and encryption grow through it. */
  @Override
  protected List<TicketDemand> demands(Volume volume, ResourceReader reader) {
    boolean needed =
        volume.status().expansionRequired()
            && !volume.isBeingDeleted()
            && volume.status().robustness() != Robustness.FAULTED;
    return needed ? List.of(TicketDemand.withFrontend(volume.name())) : List.of();
  }
}
