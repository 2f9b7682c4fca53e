package dev.holdfast.attachment.internal;

import dev.holdfast.resource.volume.VolumeSpec;
import java.util.Optional;

/**
 * What is done with the volume in this pass.
 *
 * @param kind what
 * @param chosen the ticket that it is attached for or moves for, when it does now
 */
record Move(Kind kind, Optional<Wish> chosen) {
  static final Move KEEP = new Move(Kind.KEEP, Optional.empty());
  static final Move DETACH = new Move(Kind.DETACH, Optional.empty());
  static final Move ROLL_BACK = new Move(Kind.ROLL_BACK, Optional.empty());

  static Move attach(Wish wish) {
    return new Move(Kind.ATTACH, Optional.of(wish));
  }

  static Move prepare(Wish wish) {
    return new Move(Kind.PREPARE, Optional.of(wish));
  }

  static Move confirm(Wish wish) {
    return new Move(Kind.CONFIRM, Optional.of(wish));
  }

  /** What is done. */
  enum Kind {
    /** It stays where it is or goes on to where it goes. */
    KEEP,
    /** It is to leave its node. */
    DETACH,
    /** It is to go to a node. */
    ATTACH,
    /** It is to get ready to go on at another node while it is in use. */
    PREPARE,
    /** It goes on at the node that was prepared. */
    CONFIRM,
    /** It stays where it is and gives up the node that was prepared. */
    ROLL_BACK
  }

  VolumeSpec appliedTo(VolumeSpec spec) {
    return switch (kind) {
      case KEEP -> spec;
      case DETACH -> spec.withNodeID("").withMigrationNodeID("").withDisableFrontend(false);
      case ATTACH -> {
        Wish wish = chosen.orElseThrow();
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
