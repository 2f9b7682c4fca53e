package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * How the rebuild of a replica goes.
 *
 * @param attempt the {@code Engine.spec.rebuildAttempt} that this tells of
 * @param state how far it got
 * @param progress in percent, 0 to 100; 100 only when the replica is current
 * @param copied bytes that were copied
 * @param total bytes that are known to need copying; may grow while it is found out
 * @param error why it was given up, empty when it was not
 */
@RecordBuilder
public record RebuildStatus(
    long attempt, RebuildState state, int progress, Quantity copied, Quantity total, String error)
    implements RebuildStatusBuilder.With {
  /** Replaces what is null by its default. */
  public RebuildStatus {
    state = Defaults.or(state, RebuildState.IN_PROGRESS);
    copied = Defaults.or(copied, Quantity.ZERO);
    total = Defaults.or(total, Quantity.ZERO);
    error = Defaults.text(error);
  }
}
