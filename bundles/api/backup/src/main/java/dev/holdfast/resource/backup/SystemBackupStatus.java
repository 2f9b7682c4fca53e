package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a system backup.
 *
 * @param state state of the system backup
 * @param createdAt time at which the resources were read; empty until it is ready
 * @param checksum SHA-256 of its file at the target; empty until it is ready
 * @param size size of its file at the target
 * @param items number of resources in it
 * @param volumes number of volumes in it that have a backup
 * @param failures volumes and images without a backup and the cause, at most 20
 * @param attempts number of attempts that failed
 * @param nextAttemptAt time of the next attempt after a failure; empty when none follows
 * @param error cause of the last failure; empty for none
 */
@RecordBuilder
public record SystemBackupStatus(
    SystemBackupState state,
    Optional<Instant> createdAt,
    String checksum,
    Quantity size,
    int items,
    int volumes,
    List<String> failures,
    int attempts,
    Optional<Instant> nextAttemptAt,
    String error)
    implements SystemBackupStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final SystemBackupStatus EMPTY = SystemBackupStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the list. */
  public SystemBackupStatus {
    state = Defaults.or(state, SystemBackupState.NONE);
    createdAt = Defaults.optional(createdAt);
    checksum = Defaults.text(checksum);
    size = Defaults.or(size, Quantity.ZERO);
    failures = Defaults.list(failures);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    error = Defaults.text(error);
  }
}
