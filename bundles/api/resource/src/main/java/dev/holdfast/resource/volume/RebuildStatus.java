package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The observed state of a replica's rebuild.
 *
 * @param attempt the {@code Engine.spec.rebuildAttempt} that this status describes
 * @param state state of the rebuild
 * @param progress in percent, 0 to 100; 100 only once the replica has all data
 * @param copied number of bytes copied so far
 * @param total known number of bytes to copy; may increase
 * @param error cause of the failure; empty if there is none
 */
@RecordBuilder
public record RebuildStatus(
    long attempt, RebuildState state, int progress, Quantity copied, Quantity total, String error)
    implements RebuildStatusBuilder.With {
  /** Replaces null components by their defaults. */
  public RebuildStatus {
    state = Defaults.or(state, RebuildState.IN_PROGRESS);
    copied = Defaults.or(copied, Quantity.ZERO);
    total = Defaults.or(total, Quantity.ZERO);
    error = Defaults.text(error);
  }
}
