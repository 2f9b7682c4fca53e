package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The observed state of a backup.
 *
 * @param state state of the backup
 * @param progress percent of the parts to be read that are read, compared and sent
 * @param nodeID the node that writes or wrote the backup
 * @param url address of the backup at its target, from which a volume can be restored; empty until
 *     the backup is complete
 * @param snapshotName name of the Snapshot resource that is backed up; empty until it is known
 * @param snapshotUID uid of that Snapshot resource
 * @param snapshotCreatedAt time at which the snapshot was taken
 * @param backupCreatedAt time at which the backup was completed
 * @param completion position in the order in which this cluster completed backups of the volume at
 *     the target; 0 for a backup that a scan found
 * @param volumeSize size of the volume when the snapshot was taken
 * @param size size of the blocks of the backup before compression, in bytes
 * @param readDataSize number of bytes read from the snapshot
 * @param newlyUploadedDataSize size of the blocks that the target did not have, in bytes
 * @param reUploadedDataSize size of the blocks that were sent again, in bytes
 * @param base name of the backup whose snapshot was the base of the comparison; empty if all
 *     allocated blocks were read
 * @param baseReason reason why no comparison with a snapshot took place; empty if it did
 * @param attempts number of attempts so far
 * @param nextAttemptAt time of the next attempt after a failure; empty when none follows
 * @param verification result of the last verification at the target
 * @param exportNodeID the node that serves the backup to hosts; empty for none
 * @param endpoint URI from which hosts read the backup; empty while the export is not available
 * @param exportError cause why hosts cannot read an exported backup; empty for none
 * @param error cause of the last failure; empty for none
 */
@RecordBuilder
public record BackupStatus(
    BackupState state,
    int progress,
    String nodeID,
    String url,
    String snapshotName,
    String snapshotUID,
    Optional<Instant> snapshotCreatedAt,
    Optional<Instant> backupCreatedAt,
    long completion,
    Quantity volumeSize,
    Quantity size,
    Quantity readDataSize,
    Quantity newlyUploadedDataSize,
    Quantity reUploadedDataSize,
    String base,
    String baseReason,
    int attempts,
    Optional<Instant> nextAttemptAt,
    VerificationStatus verification,
    String exportNodeID,
    String endpoint,
    String exportError,
    String error)
    implements BackupStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackupStatus EMPTY = BackupStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public BackupStatus {
    state = Defaults.or(state, BackupState.NONE);
    nodeID = Defaults.text(nodeID);
    url = Defaults.text(url);
    snapshotName = Defaults.text(snapshotName);
    snapshotUID = Defaults.text(snapshotUID);
    snapshotCreatedAt = Defaults.optional(snapshotCreatedAt);
    backupCreatedAt = Defaults.optional(backupCreatedAt);
    volumeSize = Defaults.or(volumeSize, Quantity.ZERO);
    size = Defaults.or(size, Quantity.ZERO);
    readDataSize = Defaults.or(readDataSize, Quantity.ZERO);
    newlyUploadedDataSize = Defaults.or(newlyUploadedDataSize, Quantity.ZERO);
    reUploadedDataSize = Defaults.or(reUploadedDataSize, Quantity.ZERO);
    base = Defaults.text(base);
    baseReason = Defaults.text(baseReason);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    verification = Defaults.or(verification, VerificationStatus.EMPTY);
    exportNodeID = Defaults.text(exportNodeID);
    endpoint = Defaults.text(endpoint);
    exportError = Defaults.text(exportError);
    error = Defaults.text(error);
  }
}
