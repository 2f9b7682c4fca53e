package dev.holdfast.attachment.internal;

import dev.holdfast.resource.AttachmentTicketStatus;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Volume;
import dev.holdfast.resource.VolumeSpec;
import dev.holdfast.resource.VolumeState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What became of one ticket.
 *
 * @param satisfied whether the volume was seen attached as it asks, and stays so in this pass
 * @param reason for machines
 * @param message for people, empty when satisfied
 */
record TicketVerdict(boolean satisfied, String reason, String message) {
  private static final String SATISFIED = "Satisfied";
  private static final String ATTACHER_AVAILABLE = "AttacherAvailable";
  private static final TicketVerdict YES = new TicketVerdict(true, Reasons.ATTACHED, "");

  private static TicketVerdict no(String reason, String message) {
    return new TicketVerdict(false, reason, message);
  }

  static TicketVerdict volumeNotFound(AttachmentView view) {
    return no(Reasons.VOLUME_NOT_FOUND, "there is no volume " + view.attachment().spec().volume());
  }

  /**
   * Judges a ticket.
   *
   * @param spec the volume's after this pass
   */
  static TicketVerdict of(
      Wish wish, Volume volume, VolumeSpec spec, Move move, AttachmentView view) {
    if (AttachmentRules.isFaulted(volume)) {
      return no(
          Reasons.VOLUME_FAULTED,
          "volume " + volume.name() + " is faulted: no current replica is to be had");
    }
    return switch (move.kind()) {
      case DETACH -> no(Reasons.DETACHING, "leaves node " + volume.spec().nodeID());
      case ATTACH -> onItsWay(wish, spec);
      case KEEP -> spec.nodeID().isEmpty() ? waiting(wish, volume, view) : kept(wish, volume, view);
    };
  }

  private static TicketVerdict onItsWay(Wish wish, VolumeSpec spec) {
    return elsewhere(wish, spec)
        .orElseGet(() -> no(Reasons.ATTACHING, "goes to node " + spec.nodeID()));
  }

  /** Not to be attached, or not yet. */
  private static TicketVerdict waiting(Wish wish, Volume volume, AttachmentView view) {
    if (volume.isBeingDeleted()) {
      return no(Reasons.VOLUME_DELETING, "volume " + volume.name() + " is being deleted");
    }
    Optional<Obstacle> obstacle = Obstacle.of(wish, volume, view);
    if (obstacle.isPresent()) {
      return no(obstacle.get().reason(), obstacle.get().message());
    }
    return switch (volume.status().state()) {
      case CREATING -> no(Reasons.CREATING, "volume " + volume.name() + " is not made yet");
      case DETACHED -> no(Reasons.NOT_ATTACHED, "volume " + volume.name() + " is detached");
      case ATTACHING, ATTACHED, DETACHING, DELETING ->
          no(Reasons.DETACHING, "volume " + volume.name() + " is not fully detached yet");
    };
  }

  private static TicketVerdict kept(Wish wish, Volume volume, AttachmentView view) {
    Optional<TicketVerdict> elsewhere = elsewhere(wish, volume.spec());
    if (elsewhere.isPresent()) {
      return wish.type().isPresent() ? elsewhere.get() : unavailable(wish);
    }
    String nodeID = volume.spec().nodeID();
    boolean attached =
        volume.status().state() == VolumeState.ATTACHED
            && volume.status().currentNodeID().equals(nodeID);
    if (!attached) {
      return volume.status().state() == VolumeState.DETACHING
          ? no(Reasons.DETACHING, "is detached first, to be attached anew")
          : no(Reasons.ATTACHING, "goes to node " + nodeID);
    }
    if (!wish.frontend().isMetBy(ObservedFrontend.of(view.engine(), nodeID))) {
      return no(
          Reasons.FRONTEND_NOT_READY,
          "attached to node " + nodeID + ", where its engine or frontend is not ready");
    }
    return YES;
  }

  private static TicketVerdict unavailable(Wish wish) {
    Obstacle obstacle = Obstacle.attacherUnavailable(wish);
    return no(obstacle.reason(), obstacle.message());
  }

  /** The volume goes or went to where, or how, the ticket does not want it. */
  private static Optional<TicketVerdict> elsewhere(Wish wish, VolumeSpec spec) {
    if (!wish.nodeID().equals(spec.nodeID())) {
      return Optional.of(no(Reasons.OTHER_NODE, "attached to different node " + spec.nodeID()));
    }
    if (!wish.frontend().allows(spec.disableFrontend())) {
      return Optional.of(
          no(
              Reasons.INCOMPATIBLE,
              "already attached to node "
                  + spec.nodeID()
                  + (spec.disableFrontend() ? " without a frontend" : " with a frontend")));
    }
    return Optional.empty();
  }

  AttachmentTicketStatus toStatus(
      Wish wish, Optional<AttachmentTicketStatus> earlier, Instant now) {
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
      Obstacle obstacle = Obstacle.attacherUnavailable(wish);
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
        wish.ticket().id(), satisfied, conditions, wish.ticket().generation());
  }
}
