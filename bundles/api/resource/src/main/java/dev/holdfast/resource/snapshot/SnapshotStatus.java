package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.RequestOutcome;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is observed of a snapshot.
 *
 * @param readyToUse whether it can be read
 * @param creationTime when it was taken; stays when it is lost later
 * @param parent name in the volume of the snapshot below, empty for none
 * @param size what it takes on each disk
 * @param restoreSize size of the volume when it was taken
 * @param error why it could not be taken, or that it is lost; nothing more is tried
 * @param children names in the volume of what was made on top of it; {@code volume-head} stands for
 *     the live content
 * @param userCreated whether a person or a workload asked for it
 * @param markRemoved whether it was given up and only waits for its data to be coalesced
 * @param checksum of its own layer, empty until one was computed
 * @param message what it waits for, empty when it waits for nothing
 * @param endpoint URI at which it can be read while it is exported, else empty
 * @param revert how the last revert to it ended
 * @param scrub how its last comparison with its checksums ended, one that nobody asked for included
 * @param scrubStatus how far the comparison is, or what the last one found
 * @param changes the answer to what {@code spec.changes} asks
 * @param filesystemFrozen whether the mounted filesystem was frozen from before it was taken until
 *     after: then its content is a filesystem that needs no recovery
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
    boolean filesystemFrozen)
    implements SnapshotStatusBuilder.With {
  /** Nothing set. */
  public static final SnapshotStatus EMPTY =
      new SnapshotStatus(false, Optional.empty(), null, null, null, null);

  /** The name that stands for the live content among the children. */
  public static final String HEAD = "volume-head";

  /** Replaces what is null by its default and copies the collections. */
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

  /** A status of a snapshot that was taken without its filesystem being frozen. */
  public SnapshotStatus(
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
      ChangesPage changes) {
    this(
        readyToUse,
        creationTime,
        parent,
        size,
        restoreSize,
        error,
        children,
        userCreated,
        markRemoved,
        checksum,
        message,
        endpoint,
        revert,
        scrub,
        scrubStatus,
        changes,
        false);
  }

  /** A status without what a running engine tells. */
  public SnapshotStatus(
      boolean readyToUse,
      Optional<Instant> creationTime,
      String parent,
      Quantity size,
      Quantity restoreSize,
      String error) {
    this(
        readyToUse,
        creationTime,
        parent,
        size,
        restoreSize,
        error,
        null,
        false,
        false,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }
}
