package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The observed state of the backup of an image.
 *
 * @param state state of the backup
 * @param progress percent of the image that is read, compared and sent
 * @param url address of the backup at its target, from which an image can be restored; empty until
 *     the backup is complete
 * @param checksum SHA-512 of all bytes of the image's disk
 * @param contentChecksum checksum of the content of the image, used to compare copies; empty if
 *     another program wrote the backup
 * @param size bytes of the disk that the image describes
 * @param backupCreatedAt time at which the backup was completed
 * @param labels that the target keeps with the backup
 * @param attempts number of failures so far
 * @param nextAttemptAt time of the next attempt after a failure; empty when none follows
 * @param error cause of the last failure; empty for none
 */
@RecordBuilder
public record BackupBackingImageStatus(
    BackupState state,
    int progress,
    String url,
    String checksum,
    String contentChecksum,
    Quantity size,
    Optional<Instant> backupCreatedAt,
    Map<String, String> labels,
    int attempts,
    Optional<Instant> nextAttemptAt,
    String error)
    implements BackupBackingImageStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackupBackingImageStatus EMPTY =
      BackupBackingImageStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public BackupBackingImageStatus {
    state = Defaults.or(state, BackupState.NONE);
    url = Defaults.text(url);
    checksum = Defaults.text(checksum);
    contentChecksum = Defaults.text(contentChecksum);
    size = Defaults.or(size, Quantity.ZERO);
    backupCreatedAt = Defaults.optional(backupCreatedAt);
    labels = Defaults.map(labels);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    error = Defaults.text(error);
  }
}
