package dev.holdfast.attachment.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Result of one ticket.
 *
 * @param satisfied whether the volume was observed as attached in the requested way, and remains so
 *     in this pass
 * @param reason for programs
 * @param message text for users, empty if satisfied
 */
record TicketResult(boolean satisfied, String reason, String message) {
  private static final String SATISFIED = AttachmentTicketStatus.SATISFIED_CONDITION;
  private static final String ATTACHER_AVAILABLE =
      AttachmentTicketStatus.ATTACHER_AVAILABLE_CONDITION;

  static TicketResult yes(String reason) {
    return new TicketResult(true, reason, "");
  }

  static TicketResult no(String reason, String message) {
    return new TicketResult(false, reason, message);
  }

  static TicketResult no(BlockedReason obstacle) {
    return no(obstacle.reason(), obstacle.message());
  }

  static TicketResult volumeNotFound(AttachmentView view) {
    return no(Reasons.VOLUME_NOT_FOUND, "there is no volume " + view.attachment().spec().volume());
  }

  /**
   * Summary of all tickets.
   *
   * @param verdicts by ticket, in the order of selection
   * @param earlier the earlier conditions
   */
  static List<Condition> summary(
      Map<String, TicketResult> verdicts, List<Condition> earlier, Instant now) {
    if (verdicts.isEmpty()) {
      return List.of();
    }
    List<Map.Entry<String, TicketResult>> waiting =
        verdicts.entrySet().stream().filter(entry -> !entry.getValue().satisfied()).toList();
    if (waiting.isEmpty()) {
      return Condition.with(earlier, SATISFIED, Condition.Status.TRUE, "AllSatisfied", "", now);
    }
    String message =
        waiting.stream()
            .map(entry -> "ticket " + entry.getKey() + ": " + entry.getValue().message())
            .collect(Collectors.joining("; "));
    return Condition.with(
        earlier,
        SATISFIED,
        Condition.Status.FALSE,
        waiting.get(0).getValue().reason(),
        message,
        now);
  }

  AttachmentTicketStatus toStatus(
      TicketCandidate wish, Optional<AttachmentTicketStatus> earlier, Instant now) {
    List<Condition> known =
        earlier.map(AttachmentTicketStatus::conditions).orElse(List.of()).stream()
            .filter(c -> c.type().equals(SATISFIED) || wish.type().isEmpty())
            .toList();
    List<Condition> conditions =
        Condition.with(
            known,
            SATISFIED,
            satisfied ? Condition.Status.TRUE : Condition.Status.FALSE,
            reason,
            message,
            now);
    if (wish.type().isEmpty()) {
      BlockedReason obstacle = BlockedReason.attacherUnavailable(wish);
      conditions =
          Condition.with(
              conditions,
              ATTACHER_AVAILABLE,
              Condition.Status.FALSE,
              obstacle.reason(),
              obstacle.message(),
              now);
    }
    return new AttachmentTicketStatus(
        wish.ticket().id(),
        satisfied,
        conditions,
        wish.ticket().generation(),
        wish.ticket().contentHash());
  }
}
