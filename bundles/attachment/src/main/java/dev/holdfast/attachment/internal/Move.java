package dev.holdfast.attachment.internal;

import dev.holdfast.resource.VolumeSpec;
import java.util.Optional;

/**
 * What is done with the volume in this pass.
 *
 * @param kind what
 * @param chosen the ticket that it is attached for, when it is attached now
 */
record Move(Kind kind, Optional<Wish> chosen) {
  static final Move KEEP = new Move(Kind.KEEP, Optional.empty());
  static final Move DETACH = new Move(Kind.DETACH, Optional.empty());

  static Move attach(Wish wish) {
    return new Move(Kind.ATTACH, Optional.of(wish));
  }

  /** What is done. */
  enum Kind {
    /** It stays where it is or goes on to where it goes. */
    KEEP,
    /** It is to leave its node. */
    DETACH,
    /** It is to go to a node. */
    ATTACH
  }

  VolumeSpec appliedTo(VolumeSpec spec) {
    return switch (kind) {
      case KEEP -> spec;
      case DETACH -> spec.withNodeID("").withDisableFrontend(false);
      case ATTACH -> {
        Wish wish = chosen.orElseThrow();
        yield spec.withNodeID(wish.nodeID())
            .withDisableFrontend(wish.frontend().disables(spec.disableFrontend()))
            .withLastAttachedBy(wish.ticket().id());
      }
    };
  }
}
