package dev.holdfast.attacher.volume.expansion.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Requests a volume while an expansion needs the volume attached. */
@Component(service = {AttacherProvider.class, Reconciler.class})
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

  /**
   * Requests the frontend too, because filesystems and encryption grow through it; a standby volume
   * has no frontend. After a failed expansion a workload on another node may take the volume, and
   * the expansion is repeated there.
   */
  @Override
  protected List<TicketDemand> demands(Volume volume, ResourceReader reader) {
    boolean needed =
        volume.status().expansionRequired()
            && !volume.isBeingDeleted()
            && volume.status().robustness() != Robustness.FAULTED;
    if (!needed) {
      return List.of();
    }
    TicketDemand demand =
        volume.isStandby()
            ? TicketDemand.withoutFrontend(volume.name())
            : TicketDemand.withFrontend(volume.name());
    Map<String, String> parameters = new TreeMap<>(demand.parameters());
    if (hasFailed(volume)) {
      parameters.put("interruptible", "true");
    }
    return List.of(TicketDemand.of(volume.name(), parameters));
  }

  private static boolean hasFailed(Volume volume) {
    return Condition.find(volume.status().conditions(), Volume.EXPANDED_CONDITION)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .filter(condition -> !condition.reason().equals(Volume.EXPANDING_REASON))
        .isPresent();
  }
}
