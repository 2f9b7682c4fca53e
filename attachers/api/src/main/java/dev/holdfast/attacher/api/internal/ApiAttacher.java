package dev.holdfast.attacher.api.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.TicketReaper;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Attacher for the tickets that users create by commands or through the API. An event reports a
 * volume that a user attached to a node that is cordoned in Holdfast or in Kubernetes. If the
 * setting is on, the attacher removes the ticket so that the node can be drained. A ticket that was
 * derived from an attached volume stays, because a pod may need it.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class ApiAttacher extends TicketReaper {
  private static final int PRIORITY = 1000;

  /** Creates the attacher. */
  @Activate
  public ApiAttacher() {}

  @Override
  public String name() {
    return "api";
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
  public List<Watched<?>> watches() {
    return List.of(Watched.wakingAll(Node.KIND), Watched.wakingAll(Setting.KIND));
  }

  @Override
  protected Optional<String> unwanted(
      AttachmentTicket ticket, VolumeAttachment attachment, ReconcileContext context)
      throws StorageException {
    if (!ticket.nodeID().isEmpty() && !isCordoned(ticket.nodeID(), context)) {
      return Optional.empty();
    }
    Optional<Volume> volume =
        context
            .store()
            .get(Volume.KIND, attachment.name())
            .filter(found -> isHeld(found.status().currentNodeID(), ticket))
            .filter(found -> isCordoned(found.status().currentNodeID(), context));
    if (volume.isEmpty()) {
      return Optional.empty();
    }
    String what = "node " + volume.get().status().currentNodeID() + " is cordoned";
    if (!isDetachWanted(context) || isImported(ticket)) {
      context
          .events()
          .warning(
              volume.get(),
              "AttachedToCordonedNode",
              what + ", and ticket " + ticket.id() + " keeps the volume there");
      return Optional.empty();
    }
    return Optional.of(what);
  }

  /**
   * Returns whether the ticket holds the volume on the node. A ticket without a node holds the
   * volume on its present node.
   */
  private static boolean isHeld(String node, AttachmentTicket ticket) {
    return !node.isEmpty() && (ticket.nodeID().isEmpty() || ticket.nodeID().equals(node));
  }

  private static boolean isCordoned(String node, ReconcileContext context) {
    return context.get(Node.KIND, node).filter(Node::isCordoned).isPresent();
  }

  private static boolean isImported(AttachmentTicket ticket) {
    return ticket.parameters().getOrDefault("imported", "").equals("true");
  }

  private static boolean isDetachWanted(ReconcileContext context) {
    return PlatformSettings.DETACH_WHEN_CORDONED.isOn(
        context.get(Setting.KIND, PlatformSettings.DETACH_WHEN_CORDONED.name()));
  }
}
