package dev.holdfast.attacher.csi.internal;

import dev.holdfast.attacher.AttacherType;
import dev.holdfast.attacher.TicketReaper;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.AttachmentTicket;
import dev.holdfast.resource.Node;
import dev.holdfast.resource.VolumeAttachment;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Tickets of pods: one for each Kubernetes VolumeAttachment, named as it is. Those of readers on
 * several nodes follow the one engine that serves them all.
 */
@Component(service = {AttacherType.class, Reconciler.class})
public final class CsiAttacher extends TicketReaper {
  private static final int PRIORITY = 900;

  /** Creates the attacher. */
  @Activate
  public CsiAttacher() {}

  @Override
  public String name() {
    return "csi-attacher";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public Role role() {
    return Role.WORKLOAD;
  }

  /** Where no orchestrator takes it back any more: its node was removed from the cluster. */
  @Override
  protected Optional<String> unwanted(
      AttachmentTicket ticket, VolumeAttachment attachment, ReconcileContext context)
      throws StorageException {
    String node = Readers.nodeOf(ticket);
    boolean removed = !node.isEmpty() && context.store().get(Node.KIND, node).isEmpty();
    return removed
        ? Optional.of("node " + node + ", which it is for, was removed from the cluster")
        : Optional.empty();
  }

  @Override
  protected Optional<AttachmentTicket> changed(
      AttachmentTicket ticket, VolumeAttachment attachment, ReconcileContext context)
      throws StorageException {
    return Readers.isReader(ticket)
        ? Readers.of(attachment, context.store()).moved(ticket)
        : Optional.empty();
  }
}
