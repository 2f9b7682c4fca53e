package dev.holdfast.resource.image;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The observed state of the transfer that brings an image in.
 *
 * @param currentState of the transfer
 * @param place UUID of the disk to which the other fields refer
 * @param size bytes of the file; 0 while unknown
 * @param progress percentage of the bytes that have arrived
 * @param checksum SHA-512 of the file once it has arrived
 * @param format format of the file if its source knows it; empty to detect it from the start of the
 *     file
 * @param message cause of a failure, or the condition for which the transfer waits; may be empty
 * @param attempts number of attempts so far
 * @param nextAttemptAt time of the next attempt after a failure; empty when none follows
 * @param lastStateTransition time at which the state last changed
 */
@RecordBuilder
public record BackingImageDataSourceStatus(
    ImageState currentState,
    String place,
    Quantity size,
    int progress,
    String checksum,
    String format,
    String message,
    int attempts,
    Optional<Instant> nextAttemptAt,
    Optional<Instant> lastStateTransition)
    implements BackingImageDataSourceStatusBuilder.With {
  /** The transfer has not started. */
  public static final BackingImageDataSourceStatus EMPTY =
      BackingImageDataSourceStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public BackingImageDataSourceStatus {
    currentState = Defaults.or(currentState, ImageState.PENDING);
    place = Defaults.text(place);
    size = Defaults.or(size, Quantity.ZERO);
    checksum = Defaults.text(checksum);
    format = Defaults.text(format);
    message = Defaults.text(message);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    lastStateTransition = Defaults.optional(lastStateTransition);
  }
}
