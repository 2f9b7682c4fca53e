package dev.holdfast.attacher;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Base of attachers whose tickets are created by clients, such as users and drivers. The attacher
 * removes a ticket of its type when the time that its requester set has passed. It also removes a
 * ticket when an uncached read shows that the owner of the ticket was deleted. It sets no time
 * limit of its own. Register a subclass as both {@link AttacherProvider} and {@link Reconciler}.
 * While the attacher is not installed, its tickets stay.
 */
@ConsumerType
public abstract class TicketReaper implements AttacherProvider, Reconciler<VolumeAttachment> {
  /** Interval at which deleted owners are detected. */
  private static final Duration OWNED = Duration.ofSeconds(30);

  private static final Duration PERIOD = Duration.ofMinutes(5);

  /** Creates an attacher. */
  protected TicketReaper() {}

  /**
   * Returns the reason why the attacher removes a ticket.
   *
   * @param ticket of this type
   * @param attachment that has the ticket, as the store holds it
   * @param context to read other resources; its cache has only the kinds of {@link #watches()}
   * @return reason for users; empty to keep the ticket, which is the default; never null
   * @throws StorageException when this cannot be determined now: the ticket stays
   */
  protected Optional<String> unwanted(
      AttachmentTicket ticket, VolumeAttachment attachment, ReconcileContext context)
      throws StorageException {
    return Optional.empty();
  }

  /**
   * Returns the replacement of a ticket, for example to follow its volume to another node.
   *
   * @param ticket of this type
   * @param attachment that has the ticket, as the store holds it
   * @param context to read other resources
   * @return a ticket with the same id and type; empty to leave the ticket unchanged, which is the
   *     default
   * @throws StorageException when this cannot be determined now: the ticket stays
   */
  protected Optional<AttachmentTicket> changed(
      AttachmentTicket ticket, VolumeAttachment attachment, ReconcileContext context)
      throws StorageException {
    return Optional.empty();
  }

  @Override
  public final ResourceKind<VolumeAttachment> kind() {
    return VolumeAttachment.KIND;
  }

  @Override
  public final Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of();
  }

  @Override
  public final Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<VolumeAttachment> cached = context.get(VolumeAttachment.KIND, name);
    if (cached.isEmpty() || ours(cached.get()).isEmpty()) {
      return Result.DONE;
    }
    Optional<VolumeAttachment> stored = context.store().get(VolumeAttachment.KIND, name);
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    for (AttachmentTicket ticket : ours(stored.get())) {
      Optional<String> why = why(ticket, stored.get(), context);
      if (why.isPresent()) {
        TicketEdits.remove(stored.get(), ticket, why.get(), context);
        return Result.after(Duration.ZERO);
      }
      Optional<AttachmentTicket> changed = changed(ticket, stored.get(), context);
      if (changed.filter(other -> !other.asksTheSameAs(ticket)).isPresent()) {
        TicketEdits.move(stored.get(), changed.get(), context);
        return Result.after(Duration.ZERO);
      }
    }
    return Result.after(pause(stored.get(), context.clock().instant()));
  }

  private List<AttachmentTicket> ours(VolumeAttachment attachment) {
    return attachment.spec().attachmentTickets().values().stream()
        .filter(ticket -> ticket.type().equals(name()))
        .toList();
  }

  private Optional<String> why(
      AttachmentTicket ticket, VolumeAttachment attachment, ReconcileContext context)
      throws StorageException {
    Instant now = context.clock().instant();
    if (ticket.expiresAt().filter(end -> !now.isBefore(end)).isPresent()) {
      return Optional.of("it was asked for until " + ticket.expiresAt().get());
    }
    if (ticket.ownerReference().isPresent() && isGone(ticket.ownerReference().get(), context)) {
      OwnerReference owner = ticket.ownerReference().get();
      return Optional.of(owner.kind() + " " + owner.name() + ", which it was for, is gone");
    }
    return unwanted(ticket, attachment, context);
  }

  /**
   * Returns whether the owner was deleted. An owner of an unknown kind or of another API group may
   * exist and counts as present.
   */
  private static boolean isGone(OwnerReference owner, ReconcileContext context)
      throws StorageException {
    if (!owner.apiVersion().equals(ResourceKind.API_VERSION)) {
      return false;
    }
    Optional<ResourceKind<?>> kind = context.kinds().named(owner.kind());
    return kind.isPresent() && isGone(kind.get(), owner, context);
  }

  private static <R extends Resource<R>> boolean isGone(
      ResourceKind<R> kind, OwnerReference owner, ReconcileContext context)
      throws StorageException {
    return context
        .store()
        .get(kind, owner.name())
        .filter(found -> found.metadata().uid().equals(owner.uid()))
        .isEmpty();
  }

  private Duration pause(VolumeAttachment attachment, Instant now) {
    Duration shortest = PERIOD;
    for (AttachmentTicket ticket : ours(attachment)) {
      if (ticket.ownerReference().isPresent()) {
        shortest = shorter(shortest, OWNED);
      }
      if (ticket.expiresAt().isPresent()) {
        shortest = shorter(shortest, Duration.between(now, ticket.expiresAt().get()));
      }
    }
    return shortest.isNegative() ? Duration.ZERO : shortest;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
