package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a system restore.
 *
 * @param state state of the restore
 * @param kinds outcome for each kind, in the order in which the kinds were restored
 * @param failures resources that could not be restored and the cause, at most 20
 * @param itemsRestoredAt time at which the last item was tried; empty before
 * @param pendingVolumes number of restored volumes whose content is incomplete
 * @param completedAt time at which the restore was completed
 * @param attempts number of attempts that failed
 * @param nextAttemptAt time of the next attempt after a failure; empty when none follows
 * @param error cause of the last failure; empty for none
 */
@RecordBuilder
public record SystemRestoreStatus(
    SystemRestoreState state,
    List<RestoredKind> kinds,
    List<String> failures,
    Optional<Instant> itemsRestoredAt,
    int pendingVolumes,
    Optional<Instant> completedAt,
    int attempts,
    Optional<Instant> nextAttemptAt,
    String error)
    implements SystemRestoreStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final SystemRestoreStatus EMPTY = SystemRestoreStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the lists. */
  public SystemRestoreStatus {
    state = Defaults.or(state, SystemRestoreState.NONE);
    kinds = Defaults.list(kinds);
    failures = Defaults.list(failures);
    itemsRestoredAt = Defaults.optional(itemsRestoredAt);
    completedAt = Defaults.optional(completedAt);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    error = Defaults.text(error);
  }
}
