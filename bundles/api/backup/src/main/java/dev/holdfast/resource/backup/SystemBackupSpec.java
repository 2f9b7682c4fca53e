package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The wanted state of a system backup.
 *
 * @param backupTargetName name of the target; never changes
 * @param volumeBackupPolicy volumes that are backed up first: if-not-present for those without a
 *     complete backup, always or disabled; never changes
 */
@RecordBuilder
public record SystemBackupSpec(String backupTargetName, VolumeBackupPolicy volumeBackupPolicy)
    implements SystemBackupSpecBuilder.With {
  /** Nothing set. */
  public static final SystemBackupSpec EMPTY = SystemBackupSpecBuilder.builder().build();

  private static final int SHORTEST_NAME = 2;

  /** A hyphen and eight digits follow in the names of backups of volumes. */
  private static final int LONGEST_NAME = 54;

  /** Replaces what is null by its default. */
  public SystemBackupSpec {
    backupTargetName = Defaults.or(backupTargetName, BackupTarget.DEFAULT_NAME);
    volumeBackupPolicy = Defaults.or(volumeBackupPolicy, VolumeBackupPolicy.IF_NOT_PRESENT);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    int length = metadata.name().length();
    return new Checks()
        .that(
            (length >= SHORTEST_NAME && length <= LONGEST_NAME) || !Checks.isName(metadata.name()),
            "metadata.name",
            metadata.name(),
            "must be 2 to " + LONGEST_NAME + " characters, because objects are named by it")
        .name(backupTargetName, "spec.backupTargetName")
        .errors();
  }

  List<FieldError> validateChange(SystemBackupSpec earlier) {
    return new Checks()
        .immutable(earlier.backupTargetName, backupTargetName, "spec.backupTargetName")
        .immutable(earlier.volumeBackupPolicy, volumeBackupPolicy, "spec.volumeBackupPolicy")
        .errors();
  }
}
