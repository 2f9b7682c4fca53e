package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * What is observed of a snapshot.
 *
 * @param readyToUse whether it can be read
 * @param creationTime when it was taken
 * @param parent the snapshot below, empty for none
 * @param size what it takes on each disk
 * @param restoreSize size of the volume when it was taken
 * @param error why it could not be taken
 */
@RecordBuilder
public record SnapshotStatus(
    boolean readyToUse,
    Optional<Instant> creationTime,
    String parent,
    Quantity size,
    Quantity restoreSize,
    String error)
    implements SnapshotStatusBuilder.With {
  /** Nothing set. */
  public static final SnapshotStatus EMPTY =
      new SnapshotStatus(false, Optional.empty(), null, null, null, null);

  /** Replaces what is null by its default and copies the collections. */
  public SnapshotStatus {
    creationTime = Defaults.optional(creationTime);
    parent = Defaults.text(parent);
    size = Defaults.or(size, Quantity.ZERO);
    restoreSize = Defaults.or(restoreSize, Quantity.ZERO);
    error = Defaults.text(error);
  }
}
