package ${package};

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Keeps each volume attached that has the label {@code keep-attached: "true"}. */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class KeepAttachedAttacher extends SubjectAttacher<Volume> {
  static final String LABEL = "keep-attached";

  /** Higher goes first while a volume is detached; {@code api} tickets have 1000. */
  private static final int PRIORITY = ${priority};

  /** Creates the attacher. */
  @Activate
  public KeepAttachedAttacher() {
    super(Volume.KIND, List.of());
  }

  @Override
  public String name() {
    return "${artifactId}";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  /** A pod or a person who waits for the volume on another node gets it. */
  @Override
  public Role role() {
    return Role.INTERRUPTIBLE;
  }

  @Override
  protected List<TicketDemand> demands(Volume volume, ResourceReader reader) {
    boolean asked = "true".equals(volume.metadata().labels().get(LABEL));
    return asked && !volume.isBeingDeleted()
        ? List.of(TicketDemand.withFrontend(volume.name()))
        : List.of();
  }
}
