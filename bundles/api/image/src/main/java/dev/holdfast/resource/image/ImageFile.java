package dev.holdfast.resource.image;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * An image's file on one disk.
 *
 * @param uuid identifier of the image
 * @param state of the file
 * @param progress percentage of a file in progress
 * @param size bytes of the delivered file; known only on the disk of the delivery
 * @param virtualSize bytes of the disk that the image describes; 0 while unknown
 * @param realSize bytes that the file occupies on its disk
 * @param format format of the delivered file; known only on the disk of the delivery
 * @param checksum SHA-512 of the delivered file; known only on the disk of the delivery
 * @param contentChecksum checksum of the content of the disk; empty until the file is verified
 * @param message cause of a failure, or the condition for which the file waits; may be empty
 * @param sender the node from which the file is copied; empty for none
 * @param attempts number of failed attempts in a row
 * @param nextAttemptAt time of the next attempt after a failure; empty when none follows
 * @param lastStateTransition time at which the state last changed
 */
@RecordBuilder
public record ImageFile(
    String uuid,
    ImageState state,
    int progress,
    Quantity size,
    Quantity virtualSize,
    Quantity realSize,
    String format,
    String checksum,
    String contentChecksum,
    String message,
    String sender,
    int attempts,
    Optional<Instant> nextAttemptAt,
    Optional<Instant> lastStateTransition)
    implements ImageFileBuilder.With {
  /** The state of the file is unknown. */
  public static final ImageFile EMPTY = ImageFileBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public ImageFile {
    uuid = Defaults.text(uuid);
    state = Defaults.or(state, ImageState.PENDING);
    size = Defaults.or(size, Quantity.ZERO);
    virtualSize = Defaults.or(virtualSize, Quantity.ZERO);
    realSize = Defaults.or(realSize, Quantity.ZERO);
    format = Defaults.text(format);
    checksum = Defaults.text(checksum);
    contentChecksum = Defaults.text(contentChecksum);
    message = Defaults.text(message);
    sender = Defaults.text(sender);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    lastStateTransition = Defaults.optional(lastStateTransition);
  }
}
