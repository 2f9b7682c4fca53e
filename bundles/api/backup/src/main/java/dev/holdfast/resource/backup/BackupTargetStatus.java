package dev.holdfast.resource.backup;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a backup target.
 *
 * @param available whether the target answered the last check
 * @param lastSyncedAt time of the last complete scan of the target; empty before the first
 * @param scans number of complete scans of the target
 * @param synced the last spec.syncRequest whose scan is complete
 * @param conditions observed aspects: Available, with the reason while it does not answer; Synced,
 *     with the reason why the last scan failed
 */
@RecordBuilder
public record BackupTargetStatus(
    boolean available,
    Optional<Instant> lastSyncedAt,
    long scans,
    String synced,
    List<Condition> conditions)
    implements BackupTargetStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackupTargetStatus EMPTY = BackupTargetStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public BackupTargetStatus {
    lastSyncedAt = Defaults.optional(lastSyncedAt);
    synced = Defaults.text(synced);
    conditions = Defaults.list(conditions);
  }
}
