package dev.holdfast.attachment.internal;

import dev.holdfast.resource.volume.VolumeSpec;
import java.util.List;
import java.util.Optional;

/**
 * Action for the volume in this pass.
 *
 * @param kind kind of the action
 * @param chosen the ticket for which the volume is attached or moved now, if any
 */
record AttachmentAction(Kind kind, Optional<TicketCandidate> chosen) {
  static final AttachmentAction KEEP = new AttachmentAction(Kind.KEEP, Optional.empty());
  static final AttachmentAction DETACH = new AttachmentAction(Kind.DETACH, Optional.empty());
  static final AttachmentAction ROLL_BACK = new AttachmentAction(Kind.ROLL_BACK, Optional.empty());

  static AttachmentAction attach(TicketCandidate wish) {
    return new AttachmentAction(Kind.ATTACH, Optional.of(wish));
  }

  static AttachmentAction prepare(TicketCandidate wish) {
    return new AttachmentAction(Kind.PREPARE, Optional.of(wish));
  }

  static AttachmentAction confirm(TicketCandidate wish) {
    return new AttachmentAction(Kind.CONFIRM, Optional.of(wish));
  }

  /** The kinds of actions. */
  enum Kind {
    /** Keep the volume on its node or continue its move. */
    KEEP,
    /** Detach the volume from its node. */
    DETACH,
    /** Attach the volume to a node. */
    ATTACH,
    /** Prepare the move to another node during use. */
    PREPARE,
    /** Complete the move to the prepared node. */
    CONFIRM,
    /** Keep the volume on its node and release the prepared node. */
    ROLL_BACK
  }

  VolumeSpec appliedTo(VolumeSpec spec) {
    return switch (kind) {
      case KEEP -> spec;
      case DETACH ->
          spec.withNodeID("")
              .withMigrationNodeID("")
              .withServingNodeIDs(List.of())
              .withDisableFrontend(false);
      case ATTACH -> {
        TicketCandidate wish = chosen.orElseThrow();
        yield spec.withNodeID(wish.nodeID())
            .withDisableFrontend(wish.frontend().disables(spec.disableFrontend()))
            .withLastAttachedBy(wish.ticket().id());
      }
      case PREPARE -> spec.withMigrationNodeID(chosen.orElseThrow().nodeID());
      case CONFIRM ->
          spec.withNodeID(chosen.orElseThrow().nodeID())
              .withMigrationNodeID("")
              .withLastAttachedBy(chosen.orElseThrow().ticket().id());
      case ROLL_BACK -> spec.withMigrationNodeID("");
    };
  }
}
