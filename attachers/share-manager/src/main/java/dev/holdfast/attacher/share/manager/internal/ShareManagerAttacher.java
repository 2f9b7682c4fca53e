package dev.holdfast.attacher.share.manager.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.share.ShareManager;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Requests a shared volume on the node that the share's status names, from the claim of an epoch
 * until that node has released the share.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class ShareManagerAttacher extends SubjectAttacher<ShareManager> {
  private static final int PRIORITY = 900;

  /** Creates the attacher. */
  @Activate
  public ShareManagerAttacher() {
    super(ShareManager.KIND, List.of());
  }

  @Override
  public String name() {
    return ShareManager.ATTACHER;
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public Role role() {
    return Role.WORKLOAD;
  }

  @Override
  protected List<TicketDemand> demands(ShareManager share, ResourceReader reader) {
    String node = share.status().nodeID();
    return node.isEmpty()
        ? List.of()
        : List.of(TicketDemand.withFrontend(share.spec().volume()).at(node));
  }
}
