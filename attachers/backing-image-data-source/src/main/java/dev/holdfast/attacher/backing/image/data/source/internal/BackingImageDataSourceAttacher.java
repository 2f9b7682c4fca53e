package dev.holdfast.attacher.backing.image.data.source.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.resource.image.BackingImageDataSource;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Requests the volume that is exported into a backing image, on the node that receives it. */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class BackingImageDataSourceAttacher extends SubjectAttacher<BackingImageDataSource> {
  private static final int PRIORITY = 800;

  /** Creates the attacher. */
  @Activate
  public BackingImageDataSourceAttacher() {
    super(BackingImageDataSource.KIND, List.of());
  }

  @Override
  public String name() {
    return "bim-ds-controller";
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
  protected List<TicketDemand> demands(BackingImageDataSource source, ResourceReader reader) {
    return source.neededVolume().stream()
        .map(volume -> TicketDemand.withAnyFrontend(volume).at(source.spec().nodeID()))
        .toList();
  }
}
