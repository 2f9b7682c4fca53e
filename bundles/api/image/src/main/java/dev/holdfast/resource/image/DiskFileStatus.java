package dev.holdfast.resource.image;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of an image's file on one disk.
 *
 * @param state of the file
 * @param progress percentage of a file in progress
 * @param message cause of a failure, or the condition for which the file waits; may be empty
 * @param lastStateTransition time at which the state last changed
 */
@RecordBuilder
public record DiskFileStatus(
    ImageState state, int progress, String message, Optional<Instant> lastStateTransition)
    implements DiskFileStatusBuilder.With {
  /** The state of the file is unknown. */
  public static final DiskFileStatus EMPTY = DiskFileStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public DiskFileStatus {
    state = Defaults.or(state, ImageState.PENDING);
    message = Defaults.text(message);
    lastStateTransition = Defaults.optional(lastStateTransition);
  }
}
