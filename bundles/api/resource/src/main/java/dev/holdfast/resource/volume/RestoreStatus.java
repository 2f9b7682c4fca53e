package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of the restore that provides a volume's first content.
 *
 * @param state progress of the restore
 * @param backup name of the backup that is restored; empty until the target was read
 * @param attempts number of attempts so far
 * @param nextAttemptAt time of the next attempt after a failure
 * @param message cause of the last failure; may be empty
 * @param copySize number of bytes to restore, from the beginning of the volume; 0 until the target
 *     was read
 * @param regionSize size of the regions in which the content is restored; 0 until the target was
 *     read
 * @param copiedRegions the regions that are restored, as a bit map in Base64. The lowest bit of the
 *     first byte is the first region. Trailing zero bytes are omitted
 * @param progress percent of the regions that are restored
 * @param damaged the first parts that were zeroed because their blocks are damaged, with offset,
 *     length, object and reason
 * @param damagedBlocks number of these parts
 */
@RecordBuilder
public record RestoreStatus(
    CloneState state,
    String backup,
    int attempts,
    Optional<Instant> nextAttemptAt,
    String message,
    Quantity copySize,
    Quantity regionSize,
    String copiedRegions,
    int progress,
    List<String> damaged,
    int damagedBlocks)
    implements RestoreStatusBuilder.With {
  /** The restore has not begun. */
  public static final RestoreStatus EMPTY = RestoreStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public RestoreStatus {
    state = Defaults.or(state, CloneState.NONE);
    backup = Defaults.text(backup);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    message = Defaults.text(message);
    copySize = Defaults.or(copySize, Quantity.ZERO);
    regionSize = Defaults.or(regionSize, Quantity.ZERO);
    copiedRegions = Defaults.text(copiedRegions);
    damaged = Defaults.list(damaged);
  }
}
