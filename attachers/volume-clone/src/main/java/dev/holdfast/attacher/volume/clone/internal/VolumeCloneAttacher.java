package dev.holdfast.attacher.volume.clone.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Requests a clone and its source during the copy. The source may be on any node. The clone is
 * requested on the source's node as soon as the source is usable there.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class VolumeCloneAttacher extends SubjectAttacher<Volume> {
  private static final int PRIORITY = 800;

  /** Creates the attacher. */
  @Activate
  public VolumeCloneAttacher() {
    super(Volume.KIND, List.of());
  }

  @Override
  public String name() {
    return "volume-clone-controller";
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
  protected List<TicketDemand> demands(Volume copy, ResourceReader reader) {
    CloneStatus status = copy.status().cloneStatus();
    Optional<CloneSource> source =
        copy.spec()
            .cloneSource()
            .filter(s -> status.state() == CloneState.INITIATED && !copy.isBeingDeleted());
    List<TicketDemand> demands = new ArrayList<>();
    source.ifPresent(s -> demands.add(TicketDemand.withAnyFrontend(s.volume())));
    source
        .filter(s -> copy.isUsableWhileCopied() && !status.nodeID().isEmpty())
        .ifPresent(s -> demands.add(TicketDemand.withAnyFrontend(copy.name()).at(status.nodeID())));
    return demands;
  }
}
