package dev.holdfast.resource.restore;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The observed state of a volume that follows the backups of another one. While a backup is
 * applied, status.restore has its progress.
 *
 * @param state progress of following and activation
 * @param lastRestored name of the last completely restored backup; empty before the first
 * @param lastRestoredBlocks checksum of the list of its blocks, which identifies it; empty if
 *     unknown
 * @param snapshot name of the Snapshot with that content
 * @param lastRestoredAt time of the followed volume's snapshot that this backup holds
 * @param behindSeconds time from lastRestoredAt to the last check of the target, in seconds
 * @param appliedBlocks checksum of the list of blocks of the backup in status.restore
 * @param appliedAt time of the followed volume's snapshot in the backup in status.restore
 * @param activationAskedAt time at which the controller saw the request for the activation
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
  /** The state before the first observation. */
  public static final StandbyStatus EMPTY = StandbyStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
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
