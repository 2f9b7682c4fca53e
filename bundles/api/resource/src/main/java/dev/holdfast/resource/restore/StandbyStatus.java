package dev.holdfast.resource.restore;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The observed state of a volume that follows the backups of another one. While a backup is
 * applied, status.restore describes that.
 *
 * @param state progress of following and activation
 * @param lastRestored name of the backup whose content a snapshot of the volume has; empty until
 *     the first one is restored
 * @param lastRestoredBlocks checksum of the list of its blocks, by which it is recognized; empty
 *     when it is not known
 * @param snapshot name of the Snapshot with that content
 * @param lastRestoredAt time of the followed volume's snapshot that this backup holds
 * @param behindSeconds time from lastRestoredAt to the last look at the target, in seconds
 * @param appliedBlocks checksum of the list of blocks of the backup in status.restore
 * @param appliedAt time of the followed volume's snapshot in the backup in status.restore
 * @param activationAskedAt time at which the request for the activation was seen
 * @param message cause why the target cannot be followed, or what an activation waits for; may be
 *     empty
 * @since 1.1
 */
@RecordBuilder
public record StandbyStatus(
    StandbyState state,
    String lastRestored,
    String lastRestoredBlocks,
    String snapshot,
    Optional<Instant> lastRestoredAt,
    long behindSeconds,
    String appliedBlocks,
    Optional<Instant> appliedAt,
    Optional<Instant> activationAskedAt,
    String message)
    implements StandbyStatusBuilder.With {
  /** Nothing observed. */
  public static final StandbyStatus EMPTY = StandbyStatusBuilder.builder().build();

  /** Replaces what is null by its default. */
  public StandbyStatus {
    state = Defaults.or(state, StandbyState.NONE);
    lastRestored = Defaults.text(lastRestored);
    lastRestoredBlocks = Defaults.text(lastRestoredBlocks);
    snapshot = Defaults.text(snapshot);
    lastRestoredAt = Defaults.optional(lastRestoredAt);
    appliedBlocks = Defaults.text(appliedBlocks);
    appliedAt = Defaults.optional(appliedAt);
    activationAskedAt = Defaults.optional(activationAskedAt);
    message = Defaults.text(message);
  }
}
