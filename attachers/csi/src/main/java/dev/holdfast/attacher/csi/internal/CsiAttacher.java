package dev.holdfast.attacher.csi.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketReaper;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Tickets of pods: one for each Kubernetes VolumeAttachment, named as it is. Those of readers on
 * several nodes follow the one engine that serves them all.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class CsiAttacher extends TicketReaper {
  private static final int PRIORITY = 900;

  /** How long a node is missing before it counts as removed. */
  private static final Duration REMOVED = Duration.ofMinutes(10);

  /** Time at which this process first missed the node, by name; a restart begins to count again. */
  private final Map<String, Instant> missingSince = new ConcurrentHashMap<>();

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

  /**
   * Removes a ticket that the orchestrator cannot remove, because its node was removed from the
   * cluster. A node that was deleted by mistake and still runs registers itself again before.
   */
  @Override
  protected Optional<String> unwanted(
      AttachmentTicket ticket, VolumeAttachment attachment, ReconcileContext context)
      throws StorageException {
    String node = Readers.nodeOf(ticket);
    if (node.isEmpty() || context.store().get(Node.KIND, node).isPresent()) {
      missingSince.remove(node);
      return Optional.empty();
    }
    Instant now = context.clock().instant();
    Instant since = missingSince.computeIfAbsent(node, name -> now);
    return Duration.between(since, now).compareTo(REMOVED) < 0
        ? Optional.empty()
        : Optional.of("node " + node + ", which it is for, was removed from the cluster");
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
