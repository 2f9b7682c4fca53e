package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.RequestOutcome;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a snapshot.
 *
 * @param readyToUse whether the snapshot can be read
 * @param creationTime creation time of the snapshot; kept if the snapshot is lost later
 * @param parent name in the volume of the snapshot below, empty for none
 * @param size bytes that the snapshot occupies on each disk
 * @param restoreSize size of the volume when it was taken
 * @param error cause why the snapshot could not be taken or is lost; the system does not retry
 * @param children names in the volume of the snapshots directly above this one; {@code volume-head}
 *     stands for the live content
 * @param userCreated whether a user or a workload requested the snapshot
 * @param markRemoved whether the snapshot is removed but its data is not yet coalesced
 * @param checksum checksum of the snapshot's own layer; empty until it was computed
 * @param message condition for which the snapshot waits; empty for none
 * @param endpoint URI at which the snapshot can be read while it is exported; otherwise empty
 * @param revert outcome of the last revert to this snapshot
 * @param scrub outcome of the last comparison with the checksums, including periodic ones
 * @param scrubStatus progress of the comparison, or the result of the last one
 * @param changes answer to {@code spec.changes}
 * @param filesystemFrozen whether the mounted filesystem was frozen while the snapshot was taken;
 *     such a filesystem needs no recovery
 * @param dataShared whether the snapshot is removed, and its data stays because another volume
 *     shares it
 */
@RecordBuilder
public record SnapshotStatus(
    boolean readyToUse,
    Optional<Instant> creationTime,
    String parent,
    Quantity size,
    Quantity restoreSize,
    String error,
    List<String> children,
    boolean userCreated,
    boolean markRemoved,
    String checksum,
    String message,
    String endpoint,
    RequestOutcome revert,
    RequestOutcome scrub,
    ScrubStatus scrubStatus,
    ChangesPage changes,
    boolean filesystemFrozen,
    boolean dataShared)
    implements SnapshotStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final SnapshotStatus EMPTY = SnapshotStatusBuilder.builder().build();

  /** Name of the live content among the children. */
  public static final String HEAD = "volume-head";

  /** Replaces null components by their defaults and copies the collections. */
  public SnapshotStatus {
    creationTime = Defaults.optional(creationTime);
    parent = Defaults.text(parent);
    size = Defaults.or(size, Quantity.ZERO);
    restoreSize = Defaults.or(restoreSize, Quantity.ZERO);
    error = Defaults.text(error);
    children = Defaults.list(children);
    checksum = Defaults.text(checksum);
    message = Defaults.text(message);
    endpoint = Defaults.text(endpoint);
    revert = Defaults.or(revert, RequestOutcome.EMPTY);
    scrub = Defaults.or(scrub, RequestOutcome.EMPTY);
    scrubStatus = Defaults.or(scrubStatus, ScrubStatus.EMPTY);
    changes = Defaults.or(changes, ChangesPage.EMPTY);
  }
}
