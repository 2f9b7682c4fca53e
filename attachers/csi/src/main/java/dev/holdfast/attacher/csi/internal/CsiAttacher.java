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
 * Attacher for the tickets of pods. Each Kubernetes VolumeAttachment has one ticket with the same
 * name. Tickets of readers on several nodes follow the engine that serves all of them.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class CsiAttacher extends TicketReaper {
  private static final int PRIORITY = 900;

  /** Time after which a missing node counts as removed. */
  private static final Duration REMOVED = Duration.ofMinutes(10);

  /**
   * Time at which this process first missed the node, by node name. A restart of the process
   * restarts the count.
   */
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
   * Requests the removal of a ticket that the orchestrator cannot remove, because its node was
   * removed from the cluster. A node that was deleted by mistake and still runs registers itself
   * again before this time has passed.
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
