package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The observed state of the copy that provides a volume's first content.
 *
 * @param state progress of the copy
 * @param snapshot name of the Snapshot resource that is copied; empty while unknown
 * @param nodeID the node that copies, to which the source is attached; empty if none
 * @param attempts number of attempts so far
 * @param nextAttemptAt time of the next attempt after a failure
 * @param message cause of the last failure, or the condition for which this attempt waits; may be
 *     empty
 * @param copySize number of bytes to copy, from the beginning of the volume; 0 until the snapshot
 *     exists. From then on the volume can be used on the node that copies
 * @param regionSize size of the regions in which the content is copied; 0 until the snapshot exists
 * @param copiedRegions the regions that are copied, as a bit map in Base64. The lowest bit of the
 *     first byte is the first region. Trailing zero bytes are omitted
 * @param method the way in which the clone receives the content; decided once the snapshot exists
 * @param snapshotUID uid of the Snapshot resource whose content the replicas share; empty if they
 *     share no content
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
  /** The copy has not begun. */
  public static final CloneStatus EMPTY = CloneStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
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
}
