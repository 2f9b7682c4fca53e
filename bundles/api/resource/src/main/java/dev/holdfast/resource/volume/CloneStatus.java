package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
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
 * @param copySize how much is copied, from the beginning of the volume; 0 until the snapshot is
 *     there: from then on the volume can be used on the node where it is copied
 * @param regionSize the size of the pieces in which it is copied; 0 until the snapshot is there
 * @param copiedRegions which pieces are copied: Base64 of a bit for each, the lowest bit of the
 *     first byte for the first piece, without bytes of zero at the end
 * @param method how it gets the content; decided when the snapshot is there
 * @param snapshotUID uid of the snapshot's resource whose content the replicas share, empty while
 *     they are not to share one
 */
@RecordBuilder
public record CloneStatus(
    CloneState state,
    String snapshot,
    String nodeID,
    int attempts,
    Optional<Instant> nextAttemptAt,
    String message,
    Quantity copySize,
    Quantity regionSize,
    String copiedRegions,
    CloneMethod method,
    String snapshotUID)
    implements CloneStatusBuilder.With {
  /** Nothing was begun. */
  public static final CloneStatus EMPTY =
      new CloneStatus(null, null, null, 0, Optional.empty(), null, null, null, null, null, null);

  /** Replaces what is null by its default. */
  public CloneStatus {
    state = Defaults.or(state, CloneState.NONE);
    snapshot = Defaults.text(snapshot);
    nodeID = Defaults.text(nodeID);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    message = Defaults.text(message);
    copySize = Defaults.or(copySize, Quantity.ZERO);
    regionSize = Defaults.or(regionSize, Quantity.ZERO);
    copiedRegions = Defaults.text(copiedRegions);
    method = Defaults.or(method, CloneMethod.UNDECIDED);
    snapshotUID = Defaults.text(snapshotUID);
  }

  /** Creates the status of a copy that cannot be used before it is whole, as until version 1.1. */
  public CloneStatus(
      CloneState state,
      String snapshot,
      String nodeID,
      int attempts,
      Optional<Instant> nextAttemptAt,
      String message) {
    this(state, snapshot, nodeID, attempts, nextAttemptAt, message, null, null, null, null, null);
  }
}
