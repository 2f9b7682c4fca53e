package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * Identifies a volume at a target.
 *
 * @param backupTargetName name of the target; never changes
 * @param volumeName name of the volume at the target; never changes
 * @param syncRequest any text; a new text requests a scan of this volume, and status.synced
 *     contains the text when the scan is complete
 */
@RecordBuilder
public record BackupVolumeSpec(String backupTargetName, String volumeName, String syncRequest)
    implements BackupVolumeSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackupVolumeSpec EMPTY = BackupVolumeSpecBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public BackupVolumeSpec {
    backupTargetName = Defaults.or(backupTargetName, BackupTarget.DEFAULT_NAME);
    volumeName = Defaults.text(volumeName);
    syncRequest = Defaults.text(syncRequest);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    String expected = BackupVolume.nameFor(backupTargetName, volumeName);
    return new Checks()
        .name(backupTargetName, "spec.backupTargetName")
        .name(volumeName, "spec.volumeName")
        .that(
            metadata.name().equals(expected),
            "metadata.name",
            metadata.name(),
            "must be " + expected + ", which follows from the target and the volume")
        .all(SyncRequests.validate("spec.syncRequest", syncRequest))
        .errors();
  }

  List<FieldError> validateChange(BackupVolumeSpec earlier) {
    return new Checks()
        .immutable(earlier.backupTargetName, backupTargetName, "spec.backupTargetName")
        .immutable(earlier.volumeName, volumeName, "spec.volumeName")
        .errors();
  }
}
