package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * What is observed of the copy that is a volume's first content.
 *
 * @param state how far it is
 * @param snapshot name of the snapshot's resource that is copied, empty while it is not known
 * @param nodeID the node where it is copied: the one to which the source is attached; empty while
 *     there is none
 * @param attempts how often it was begun
 * @param nextAttemptAt after a failure, when it is begun again
 * @param message why the last attempt failed, or what this one waits for; empty for nothing
 */
@RecordBuilder
public record CloneStatus(
    CloneState state,
    String snapshot,
    String nodeID,
    int attempts,
    Optional<Instant> nextAttemptAt,
    String message)
    implements CloneStatusBuilder.With {
  /** Nothing was begun. */
  public static final CloneStatus EMPTY =
      new CloneStatus(null, null, null, 0, Optional.empty(), null);

  /** Replaces what is null by its default. */
  public CloneStatus {
    state = Defaults.or(state, CloneState.NONE);
    snapshot = Defaults.text(snapshot);
    nodeID = Defaults.text(nodeID);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    message = Defaults.text(message);
  }
}
