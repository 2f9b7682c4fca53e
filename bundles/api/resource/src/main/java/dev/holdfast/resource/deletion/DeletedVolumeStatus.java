package dev.holdfast.resource.deletion;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * The observed state of a deleted volume.
 *
 * @param state the current state
 * @param message cause why the state does not change; empty if none
 */
@RecordBuilder
public record DeletedVolumeStatus(DeletedVolumeState state, String message)
    implements DeletedVolumeStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final DeletedVolumeStatus EMPTY = DeletedVolumeStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public DeletedVolumeStatus {
    state = Defaults.or(state, DeletedVolumeState.PENDING);
    message = Defaults.text(message);
  }
}
