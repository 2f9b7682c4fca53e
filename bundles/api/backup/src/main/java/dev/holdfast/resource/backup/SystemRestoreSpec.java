package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.restore.RestoreMode;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * The wanted state of a system restore. All fields are immutable.
 *
 * @param systemBackup name of the system backup at the target
 * @param backupTargetName name of the target
 * @param volumes whether the volumes are restored from their backups: restore or none
 * @param volumeSelector labels of the volumes that are restored; empty for all
 * @param restoreMode whether clients may use the volumes while they are restored: whole or lazy
 */
@RecordBuilder
public record SystemRestoreSpec(
    String systemBackup,
    String backupTargetName,
    RestoredVolumes volumes,
    Map<String, String> volumeSelector,
    RestoreMode restoreMode)
    implements SystemRestoreSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final SystemRestoreSpec EMPTY = SystemRestoreSpecBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public SystemRestoreSpec {
    systemBackup = Defaults.text(systemBackup);
    backupTargetName = Defaults.or(backupTargetName, BackupTarget.DEFAULT_NAME);
    volumes = Defaults.or(volumes, RestoredVolumes.RESTORE);
    restoreMode = Defaults.or(restoreMode, RestoreMode.WHOLE);
    volumeSelector = Defaults.map(volumeSelector);
  }

  /**
   * Returns whether the restore includes a volume.
   *
   * @param labels of the volume, not null
   */
  public boolean selects(Map<String, String> labels) {
    return VolumeLabels.areAmong(volumeSelector, labels);
  }

  List<FieldError> validate() {
    return new Checks()
        .name(systemBackup, "spec.systemBackup")
        .name(backupTargetName, "spec.backupTargetName")
        .that(
            VolumeLabels.areNamed(volumeSelector),
            "spec.volumeSelector",
            volumeSelector,
            "must have names of labels as keys")
        .errors();
  }

  List<FieldError> validateChange(SystemRestoreSpec earlier) {
    return new Checks()
        .immutable(earlier.systemBackup, systemBackup, "spec.systemBackup")
        .immutable(earlier.backupTargetName, backupTargetName, "spec.backupTargetName")
        .immutable(earlier.volumes, volumes, "spec.volumes")
        .immutable(earlier.volumeSelector, volumeSelector, "spec.volumeSelector")
        .immutable(earlier.restoreMode, restoreMode, "spec.restoreMode")
        .errors();
  }
}
