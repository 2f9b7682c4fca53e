package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Attaching and detaching by hand: adds and removes tickets of type {@code api} and waits for what
 * the controllers make of them. Thread-safe.
 */
public final class Attachments {
  /** The attacher type of tickets that users request. */
  public static final String TICKET_TYPE = "api";

  /** The condition of a ticket: false while the attacher of its type is absent. */
  private static final String ATTACHER_AVAILABLE =
      AttachmentTicketStatus.ATTACHER_AVAILABLE_CONDITION;

  private final ResourceStore store;
  private final StoreEditor editor;
  private final TicketProgress progress;

  /** Works on the volume attachments of a store. */
  public Attachments(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
    this.progress = new TicketProgress(store);
  }

  /** Returns the id of the ticket for a node, or for any node. */
  public static String ticketId(Optional<String> node) {
    return node.map(n -> TICKET_TYPE + "-" + n).orElse(TICKET_TYPE);
  }

  /** Returns whether the volume has this ticket already. */
  public boolean hasTicket(String name, String ticketId) throws StorageException {
    return store
        .get(VolumeAttachment.KIND, name)
        .filter(a -> a.spec().attachmentTickets().containsKey(ticketId))
        .isPresent();
  }

  /**
   * Requests the attachment of a volume; waits, if wanted, until its ticket is satisfied and its
   * endpoint is published. Repeating it is harmless.
   *
   * @param node where to, empty for any node
   * @return the volume as it is then
   * @throws StorageException NOT_FOUND when there is no such volume or node; BUSY when the volume
   *     is being deleted; TIMEOUT with the reason, the ticket stays
   */
  public Volume attach(String name, Optional<String> node, Waiting waiting)
      throws StorageException {
    return attach(name, node, Optional.empty(), waiting);
  }

  /**
   * Requests the attachment of a volume as {@link #attach(String, Optional, Waiting)} does, until a
   * time at which the ticket is removed.
   *
   * @param end when it ends, empty for never
   */
  public Volume attach(String name, Optional<String> node, Optional<Instant> end, Waiting waiting)
      throws StorageException {
    AttachmentTicket wanted = ticket(ticketId(node), node, Optional.empty()).withExpiresAt(end);
    return attach(name, wanted, waiting);
  }

  /**
   * Requests the attachment of a volume for programs of a host, as {@link #attach(String, Optional,
   * Waiting)} does.
   *
   * @param ticketId to take back with {@link #releaseTicket} afterwards
   * @param node where to, empty for any node
   * @param client the node that the host is, which may use the volume by its certificate then;
   *     empty for a host without one
   * @return the volume as it is then
   * @throws StorageException as the other
   */
  public Volume attach(
      String name, String ticketId, Optional<String> node, Optional<String> client, Waiting waiting)
      throws StorageException {
    return attach(name, ticket(ticketId, node, client), waiting);
  }

  private static AttachmentTicket ticket(
      String id, Optional<String> node, Optional<String> client) {
    Map<String, String> parameters = new LinkedHashMap<>(Map.of("disableFrontend", "false"));
    client.ifPresent(one -> parameters.put(AttachmentTicket.CLIENT_NODE_PARAMETER, one));
    return AttachmentTicket.EMPTY
        .withId(id)
        .withType(TICKET_TYPE)
        .withNodeID(node.orElse(""))
        .withParameters(parameters);
  }

  private Volume attach(String name, AttachmentTicket wanted, Waiting waiting)
      throws StorageException {
    Volume volume = editor.require(Volume.KIND, name);
    if (volume.isBeingDeleted()) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + name + " is being deleted and cannot be attached");
    }
    if (!wanted.nodeID().isEmpty()) {
      editor.require(Node.KIND, wanted.nodeID());
    }
    awaitAttachment(name, waiting);
    editor.edit(VolumeAttachment.KIND, name, a -> withTicket(a, wanted));
    return waiting.isWanted() ? progress.awaitSatisfied(name, wanted.id(), waiting) : volume;
  }

  /**
   * Has a volume attached somewhere without a frontend, so that no host can use it, and waits until
   * it is.
   *
   * @param ticketId to take back with {@link #releaseTicket} afterwards
   * @param expiresAt when the ticket expires unless it is taken back
   * @throws StorageException NOT_FOUND; TIMEOUT with the reason, the ticket stays
   */
  Volume attachWithoutFrontend(String name, String ticketId, Instant expiresAt, Waiting waiting)
      throws StorageException {
    AttachmentTicket ticket =
        AttachmentTicket.EMPTY
            .withId(ticketId)
            .withType(TICKET_TYPE)
            .withParameters(Map.of("disableFrontend", "true"))
            .withExpiresAt(Optional.of(expiresAt));
    return attachBy(name, ticket, waiting);
  }

  /**
   * Has a volume attached somewhere for a piece of work, and waits until it is served there.
   *
   * @param ticketId to take back with {@link #releaseTicket} afterwards
   * @param client the node that does the work, empty for a host that is not a node
   * @throws StorageException NOT_FOUND; TIMEOUT with the reason, the ticket stays
   */
  public Volume attachFor(String name, String ticketId, Optional<String> client, Waiting waiting)
      throws StorageException {
    return attachBy(name, ticket(ticketId, Optional.empty(), client), waiting);
  }

  /**
   * Admits a node to the exports of a volume that is served already, and does not wait. A ticket
   * does that which any attachment satisfies.
   *
   * @param ticketId to take back with {@link #releaseTicket} afterwards
   * @param client the node
   * @param expiresAt when the ticket expires unless it is taken back, not null; another call
   *     prolongs it
   * @throws StorageException NOT_FOUND
   */
  public void admit(String name, String ticketId, String client, Instant expiresAt)
      throws StorageException {
    AttachmentTicket ticket =
        AttachmentTicket.EMPTY
            .withId(ticketId)
            .withType(TICKET_TYPE)
            .withParameters(
                Map.of("disableFrontend", "any", AttachmentTicket.CLIENT_NODE_PARAMETER, client))
            .withExpiresAt(Optional.of(expiresAt));
    Volume unused = attachBy(name, ticket, Waiting.none());
  }

  /**
   * Adds a ticket of any type and waits until the volume is served as it requires. A ticket of the
   * same id with other requirements is replaced.
   *
   * @throws StorageException NOT_FOUND; TIMEOUT with the reason, the ticket stays
   */
  public Volume attachBy(String name, AttachmentTicket ticket, Waiting waiting)
      throws StorageException {
    editor.require(Volume.KIND, name);
    awaitAttachment(name, waiting);
    editor.edit(
        VolumeAttachment.KIND,
        name,
        attachment -> {
          Map<String, AttachmentTicket> tickets =
              new LinkedHashMap<>(attachment.spec().attachmentTickets());
          tickets.put(ticket.id(), ticket);
          return attachment.withSpec(attachment.spec().withAttachmentTickets(tickets));
        });
    return waiting.isWanted()
        ? progress.awaitSatisfied(name, ticket.id(), waiting)
        : editor.require(Volume.KIND, name);
  }

  /** A volume that was just created may not have a VolumeAttachment yet. */
  private void awaitAttachment(String name, Waiting waiting) throws StorageException {
    if (store.get(VolumeAttachment.KIND, name).isPresent()) {
      return;
    }
    Waiting atLeast =
        waiting.isWanted() ? waiting : new Waiting(Waiting.DEFAULT_TIMEOUT, waiting.progress());
    try (ResourceWait observation = new ResourceWait(store)) {
      var attachment = observation.follow(VolumeAttachment.KIND, name);
      observation.await(
          "volume " + name,
          atLeast,
          attachment::latest,
          () -> "its VolumeAttachment, which the volume controller makes");
    }
  }

  private static VolumeAttachment withTicket(VolumeAttachment attachment, AttachmentTicket wanted) {
    Map<String, AttachmentTicket> tickets =
        new LinkedHashMap<>(attachment.spec().attachmentTickets());
    AttachmentTicket present = tickets.get(wanted.id());
    if (present != null && present.asksTheSameAs(wanted)) {
      return attachment;
    }
    tickets.put(wanted.id(), wanted);
    return attachment.withSpec(attachment.spec().withAttachmentTickets(tickets));
  }

  /**
   * Takes back tickets of type {@code api}; with waiting, until the volume is no longer attached by
   * them. When other tickets hold the volume, it stays attached and the result lists them.
   *
   * @param node only the tickets for this node; empty for all of them
   * @throws StorageException NOT_FOUND when there is no such volume, or neither such a node nor a
   *     ticket for it; TIMEOUT when it is not detached in time (it continues)
   */
  public Detached detach(String name, Optional<String> node, Waiting waiting)
      throws StorageException {
    requireKnown(name, node);
    return release(name, ticket -> isOfPerson(ticket, node), waiting);
  }

  private void requireKnown(String name, Optional<String> node) throws StorageException {
    if (node.isPresent() && !hasTicketFor(name, node.get())) {
      editor.require(Node.KIND, node.get());
    }
  }

  // A node that was removed may have left one.
  private boolean hasTicketFor(String name, String node) throws StorageException {
    return store
        .get(VolumeAttachment.KIND, name)
        .filter(
            attachment ->
                attachment.spec().attachmentTickets().values().stream()
                    .anyMatch(ticket -> ticket.nodeID().equals(node)))
        .isPresent();
  }

  /**
   * Takes back the tickets of every attacher, as {@link #detach} does. For a node that is lost
   * permanently: what held the volume there cannot take its ticket back itself. The engine there is
   * fenced before the volume opens elsewhere; a node that is not ready cannot report that it closed
   * the volume, and is not awaited.
   *
   * @param node only the tickets for this node; empty for all of them
   * @throws StorageException as {@link #detach}
   */
  public Detached detachAll(String name, Optional<String> node, Waiting waiting)
      throws StorageException {
    requireKnown(name, node);
    return release(
        name,
        ticket -> node.isEmpty() || ticket.nodeID().equals(node.get()),
        waiting,
        Attachments::isLost);
  }

  // Its last word may be old: only its silence counts.
  private static boolean isLost(Optional<Node> node) {
    return node.flatMap(n -> Condition.find(n.status().conditions(), Condition.READY))
        .map(ready -> ready.status() != Condition.Status.TRUE)
        .orElse(node.isEmpty());
  }

  /** Takes back one ticket, and nothing else, as {@link #detach} does. */
  public Detached releaseTicket(String name, String ticketId, Waiting waiting)
      throws StorageException {
    return release(name, ticket -> ticket.id().equals(ticketId), waiting);
  }

  /**
   * Deletes one ticket, whichever type it has, and does not wait: for a ticket whose attacher was
   * uninstalled and left it behind.
   *
   * @param force also while its attacher is installed, which may create the ticket again
   * @return the ticket that was there, never null
   * @throws StorageException NOT_FOUND when there is no such volume or ticket; CONFLICT when the
   *     attacher of the ticket is installed
   */
  public AttachmentTicket deleteTicket(String name, String ticketId, boolean force)
      throws StorageException {
    Volume volume = editor.require(Volume.KIND, name);
    Optional<VolumeAttachment> attachment = store.get(VolumeAttachment.KIND, name);
    AttachmentTicket ticket =
        attachment
            .map(present -> present.spec().attachmentTickets().get(ticketId))
            .orElseThrow(() -> noTicket(volume, ticketId, attachment));
    if (!force && !isAbandoned(attachment.get(), ticketId)) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "ticket "
              + ticketId
              + " of volume "
              + name
              + ": its attacher "
              + ticket.type()
              + " is installed and removes it when it is no longer needed: see 'holdfast volume why "
              + name
              + "', or delete it anyway with 'holdfast ticket delete "
              + name
              + " "
              + ticketId
              + " --force'");
    }
    editor.edit(
        VolumeAttachment.KIND,
        name,
        a -> without(a, t -> t.id().equals(ticketId) && t.type().equals(ticket.type())));
    return ticket;
  }

  private static StorageException noTicket(
      Volume volume, String ticketId, Optional<VolumeAttachment> attachment) {
    Set<String> present =
        attachment
            .map(a -> new TreeSet<>(a.spec().attachmentTickets().keySet()))
            .orElseGet(TreeSet::new);
    return new StorageException(
        ErrorCode.NOT_FOUND,
        "volume "
            + volume.name()
            + " has no ticket "
            + ticketId
            + ": "
            + (present.isEmpty() ? "it has none" : "it has " + String.join(", ", present)));
  }

  /** Returns whether a ticket's attacher is known to be absent. */
  private static boolean isAbandoned(VolumeAttachment attachment, String ticketId) {
    return Optional.ofNullable(attachment.status().attachmentTicketStatuses().get(ticketId))
        .flatMap(status -> Condition.find(status.conditions(), ATTACHER_AVAILABLE))
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .isPresent();
  }

  private static boolean isOfPerson(AttachmentTicket ticket, Optional<String> node) {
    return ticket.type().equals(TICKET_TYPE)
        && (node.isEmpty()
            || ticket.nodeID().equals(node.get())
            || ticket.id().equals(ticketId(node)));
  }

  private Detached release(String name, Predicate<AttachmentTicket> which, Waiting waiting)
      throws StorageException {
    return release(name, which, waiting, node -> false);
  }

  private Detached release(
      String name,
      Predicate<AttachmentTicket> which,
      Waiting waiting,
      Predicate<Optional<Node>> notWaitedFor)
      throws StorageException {
    Volume before = editor.require(Volume.KIND, name);
    if (store.get(VolumeAttachment.KIND, name).isPresent()) {
      editor.edit(VolumeAttachment.KIND, name, a -> without(a, which));
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var attachment = observation.follow(VolumeAttachment.KIND, name);
      var volume = observation.follow(Volume.KIND, name);
      if (!waiting.isWanted()) {
        return Detached.of(volume.latest().orElse(before), attachment.latest());
      }
      String node = before.status().currentNodeID();
      var holder = observation.follow(Node.KIND, node.isEmpty() ? "none" : node);
      return observation.await(
          "volume " + name,
          waiting,
          () -> {
            if (volume.latest().isEmpty()) {
              // Deleted when detached, before its last status was seen here.
              return Optional.of(new Detached(before, "", List.of()));
            }
            Volume now = volume.latest().get();
            Optional<Detached> done = released(now, attachment.latest(), node);
            return done.isPresent() || node.isEmpty() || !notWaitedFor.test(holder.latest())
                ? done
                : Optional.of(Detached.of(now, attachment.latest()));
          },
          () ->
              "volume is "
                  + volume.latest().map(v -> v.status().state().toString()).orElse("gone"));
    }
  }

  private static VolumeAttachment without(
      VolumeAttachment attachment, Predicate<AttachmentTicket> which) {
    Map<String, AttachmentTicket> tickets =
        new LinkedHashMap<>(attachment.spec().attachmentTickets());
    tickets.values().removeIf(which);
    return attachment.withSpec(attachment.spec().withAttachmentTickets(tickets));
  }

  private static Optional<Detached> released(
      Volume volume, Optional<VolumeAttachment> attachment, String formerNode) {
    Detached result = Detached.of(volume, attachment);
    if (!formerNode.isEmpty()) {
      boolean left = !result.node().equals(formerNode) && !isLeaving(volume);
      return Optional.of(result).filter(r -> left || !r.holders().isEmpty());
    }
    boolean settled = volume.status().state() != VolumeState.ATTACHING && !isLeaving(volume);
    return Optional.of(result).filter(r -> settled && volume.spec().nodeID().isEmpty());
  }

  private static boolean isLeaving(Volume volume) {
    return volume.status().state() == VolumeState.DETACHING;
  }
}
