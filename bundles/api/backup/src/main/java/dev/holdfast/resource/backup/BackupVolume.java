package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * A volume that has backups at a target. The resource is a cache entry of the results of scans, and
 * its deletion alone deletes nothing at the target. A command adds the finalizer {@link
 * Backup#FINALIZER}; with it, the deletion deletes all backups of the volume at the target.
 *
 * @param metadata name and bookkeeping
 * @param spec identifies the volume and its target
 * @param status observed state
 */
public record BackupVolume(ObjectMeta metadata, BackupVolumeSpec spec, BackupVolumeStatus status)
    implements Resource<BackupVolume> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<BackupVolume> KIND =
      new ResourceKind<>(
          "BackupVolume",
          "backupvolumes",
          List.of("hfbv"),
          BackupVolume.class,
          "A volume that has backups at a target.",
          List.of(
              ResourceKind.Column.of("Volume", "string", ".spec.volumeName", "The volume."),
              ResourceKind.Column.of(
                  "Target", "string", ".spec.backupTargetName", "Target that keeps the backups."),
              ResourceKind.Column.of(
                  "Size", "string", ".status.size", "Size of the volume at its last backup."),
              ResourceKind.Column.of(
                  "Backups", "integer", ".status.backups", "Number of complete backups."),
              ResourceKind.Column.of(
                  "Last", "string", ".status.lastBackupName", "Name of the newest backup."),
              ResourceKind.Column.wide(
                  "Synced", "date", ".status.lastSyncedAt", "Time of the last complete scan.")));

  private static final int LONGEST_PREFIX = 54;
  private static final int HASH_BYTES = 4;

  /** Replaces null components by empty values. */
  public BackupVolume {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, BackupVolumeSpec.EMPTY);
    status = Defaults.or(status, BackupVolumeStatus.EMPTY);
  }

  /** Returns a new resource for a volume at a target. */
  public static BackupVolume of(String target, String volume) {
    return new BackupVolume(
        ObjectMeta.named(nameFor(target, volume)),
        BackupVolumeSpec.EMPTY.withBackupTargetName(target).withVolumeName(volume),
        BackupVolumeStatus.EMPTY);
  }

  /**
   * Returns the name of the resource for a volume at a target: the start of the volume's name and a
   * hash of both names, so that all controllers use the same name.
   */
  public static String nameFor(String target, String volume) {
    String start = volume.length() > LONGEST_PREFIX ? volume.substring(0, LONGEST_PREFIX) : volume;
    return start.replaceFirst("[-.]+$", "") + "-" + hash(target + "/" + volume);
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public ResourceKind<BackupVolume> resourceKind() {
    return KIND;
  }

  @Override
  public BackupVolume withMetadata(ObjectMeta newMetadata) {
    return new BackupVolume(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public BackupVolume withSpec(BackupVolumeSpec newSpec) {
    return new BackupVolume(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public BackupVolume withStatus(BackupVolumeStatus newStatus) {
    return new BackupVolume(metadata, spec, newStatus);
  }

  @Override
  public BackupVolume withSpecOf(BackupVolume other) {
    return withSpec(other.spec());
  }

  @Override
  public BackupVolume withStatusOf(BackupVolume other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(BackupVolume earlier) {
    return spec.validateChange(earlier.spec());
  }

  /** Returns whether a backup belongs to this volume at this target. */
  public boolean has(Backup backup) {
    return backup.spec().volume().equals(spec.volumeName())
        && backup.spec().backupTargetName().equals(spec.backupTargetName());
  }

  /** Returns why the last scan failed, empty if it succeeded or the volume was never scanned. */
  public String syncObstacle() {
    return status.syncObstacle();
  }
}
