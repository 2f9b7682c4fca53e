package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** Waits until the controllers satisfy a ticket, and reports the reason of the wait. */
final class TicketProgress {
  private final ResourceStore store;

  TicketProgress(ResourceStore store) {
    this.store = store;
  }

  /** Waits until a ticket is satisfied and its volume is served as the ticket requires. */
  Volume awaitSatisfied(String name, String ticketId, Waiting waiting) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var attachment = observation.follow(VolumeAttachment.KIND, name);
      var volume = observation.follow(Volume.KIND, name);
      return observation.await(
          "volume " + name,
          waiting,
          () -> attached(name, ticketId, attachment.latest(), volume.latest()),
          () ->
              volume
                  .latest()
                  .map(v -> whyNotAttached(v, attachment.latest(), ticketId))
                  .orElse("its deletion"));
    }
  }

  private static Optional<Volume> attached(
      String name, String ticketId, Optional<VolumeAttachment> attachment, Optional<Volume> volume)
      throws StorageException {
    if (volume.isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, "volume " + name + " was deleted while it was being attached");
    }
    if (attachment.filter(a -> a.spec().attachmentTickets().containsKey(ticketId)).isEmpty()) {
      throw new StorageException(
          ErrorCode.CONFLICT, "volume " + name + ": ticket " + ticketId + " was taken back");
    }
    return volume.filter(
        v ->
            isSatisfied(attachment.get(), ticketId)
                && (isMetByShare(attachment.get(), ticketId, v) || isServed(v)));
  }

  private static boolean isServed(Volume volume) {
    return volume.status().state() == VolumeState.ATTACHED
        && (volume.spec().disableFrontend() || !volume.status().endpoint().isEmpty());
  }

  /**
   * Returns whether a share satisfies the ticket. Clients of a share wait while it moves, so any
   * node satisfies the ticket.
   */
  private static boolean isMetByShare(VolumeAttachment attachment, String ticketId, Volume volume) {
    AttachmentTicket ticket = attachment.spec().attachmentTickets().get(ticketId);
    return ShareManager.isShared(volume) && ticket.type().equals(WorkloadTickets.TYPE);
  }

  private static boolean isSatisfied(VolumeAttachment attachment, String ticketId) {
    return statusOf(attachment, ticketId).filter(AttachmentTicketStatus::satisfied).isPresent();
  }

  /** Returns the status of a ticket, if it belongs to the present content of the ticket. */
  private static Optional<AttachmentTicketStatus> statusOf(
      VolumeAttachment attachment, String ticketId) {
    AttachmentTicket ticket = attachment.spec().attachmentTickets().get(ticketId);
    return Optional.ofNullable(attachment.status().attachmentTicketStatuses().get(ticketId))
        .filter(status -> ticket != null && status.describes(ticket));
  }

  static String whyNotAttached(
      Volume volume, Optional<VolumeAttachment> attachment, String ticketId) {
    HoldingTickets holders = HoldingTickets.of(volume, attachment);
    if (!holders.node().isEmpty() && !holders.tickets().contains(ticketId)) {
      return holders.text();
    }
    Optional<String> told =
        attachment
            .flatMap(a -> statusOf(a, ticketId))
            .filter(status -> !status.satisfied())
            .flatMap(
                status ->
                    Condition.find(status.conditions(), AttachmentTicketStatus.SATISFIED_CONDITION))
            .map(TicketProgress::words)
            .filter(words -> !words.isEmpty());
    return told.or(() -> unmet(volume))
        .map(words -> words + " (volume is " + volume.status().state() + ")")
        .orElse("volume is " + volume.status().state());
  }

  private static Optional<String> unmet(Volume volume) {
    return volume.status().conditions().stream()
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .map(condition -> condition.type() + " is false: " + words(condition))
        .findFirst();
  }

  private static String words(Condition condition) {
    return condition.message().isEmpty() ? condition.reason() : condition.message();
  }
}
