package dev.holdfast.attacher.snapshot.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Requests a volume while a snapshot of it needs a running engine. */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class SnapshotAttacher extends SubjectAttacher<Snapshot> {
  private static final int PRIORITY = 800;

  /** Creates the attacher. */
  @Activate
  public SnapshotAttacher() {
    super(Snapshot.KIND, List.of(new Watched<>(Volume.KIND, volume -> List.of())));
  }

  @Override
  public String name() {
    return "snapshot-controller";
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
  protected List<TicketDemand> demands(Snapshot snapshot, ResourceReader reader)
      throws StorageException {
    return reader
        .get(Volume.KIND, snapshot.spec().volume())
        .filter(snapshot::needsEngine)
        .map(volume -> List.of(TicketDemand.withAnyFrontend(volume.name())))
        .orElse(List.of());
  }
}
