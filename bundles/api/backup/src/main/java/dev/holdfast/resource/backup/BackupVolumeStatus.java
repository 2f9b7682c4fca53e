package dev.holdfast.resource.backup;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of a volume at a target as of the last scan.
 *
 * @param size size of the volume at its last backup
 * @param createdAt time of the volume's creation at the target; empty if the target does not record
 *     it
 * @param lastBackupName name at the target of the newest backup; empty for none
 * @param lastBackupAt time at which the snapshot of that backup was taken
 * @param backups number of complete backups at the target
 * @param backingImageName name of the image below the volume; empty for none
 * @param backingImageChecksum SHA-512 of the file from which that image was made; empty for none
 * @param dataEngine name of the engine that wrote the backups, as recorded at the target
 * @param lastSyncedAt time of the last complete scan of the volume
 * @param syncedScan number of the target's scan that this status follows
 * @param synced the last spec.syncRequest whose scan is complete
 * @param conditions observed aspects: Synced, with the reason why the last scan failed
 */
@RecordBuilder
public record BackupVolumeStatus(
    Quantity size,
    Optional<Instant> createdAt,
    String lastBackupName,
    Optional<Instant> lastBackupAt,
    int backups,
    String backingImageName,
    String backingImageChecksum,
    String dataEngine,
    Optional<Instant> lastSyncedAt,
    long syncedScan,
    String synced,
    List<Condition> conditions)
    implements BackupVolumeStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackupVolumeStatus EMPTY = BackupVolumeStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public BackupVolumeStatus {
    size = Defaults.or(size, Quantity.ZERO);
    createdAt = Defaults.optional(createdAt);
    lastBackupName = Defaults.text(lastBackupName);
    lastBackupAt = Defaults.optional(lastBackupAt);
    backingImageName = Defaults.text(backingImageName);
    backingImageChecksum = Defaults.text(backingImageChecksum);
    dataEngine = Defaults.text(dataEngine);
    lastSyncedAt = Defaults.optional(lastSyncedAt);
    synced = Defaults.text(synced);
    conditions = Defaults.list(conditions);
  }

  /** Returns why the last scan failed, empty if it succeeded or the volume was never scanned. */
  String syncObstacle() {
    return Condition.find(conditions, BackupTarget.SYNCED_CONDITION)
        .filter(condition -> condition.status() != Condition.Status.TRUE)
        .map(Condition::message)
        .orElse("");
  }
}
