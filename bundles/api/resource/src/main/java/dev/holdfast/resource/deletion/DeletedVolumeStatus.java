package dev.holdfast.resource.deletion;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The observed state of a deleted volume.
 *
 * @param state the current state
 * @param message why the state does not change; empty when nothing prevents it
 */
@RecordBuilder
public record DeletedVolumeStatus(DeletedVolumeState state, String message)
    implements DeletedVolumeStatusBuilder.With {
  /** Nothing set. */
  public static final DeletedVolumeStatus EMPTY = DeletedVolumeStatusBuilder.builder().build();

  /** Replaces what is null by its default. */
  public DeletedVolumeStatus {
    state = Defaults.or(state, DeletedVolumeState.PENDING);
    message = Defaults.text(message);
  }
}
