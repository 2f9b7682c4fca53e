package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * The wanted state of a system backup.
 *
 * @param backupTargetName name of the target; never changes
 * @param volumeBackupPolicy volumes that are backed up first: if-not-present for volumes without a
 *     complete backup, always for all, disabled for none; the same rule applies to images; never
 *     changes
 * @param volumeSelector labels of the volumes that are saved; empty for all; never changes
 */
@RecordBuilder
public record SystemBackupSpec(
    String backupTargetName,
    VolumeBackupPolicy volumeBackupPolicy,
    Map<String, String> volumeSelector)
    implements SystemBackupSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final SystemBackupSpec EMPTY = SystemBackupSpecBuilder.builder().build();

  private static final int SHORTEST_NAME = 2;

  /** Longest permitted name. In the names of volume backups a hyphen and eight digits follow it. */
  private static final int LONGEST_NAME = 54;

  /** Replaces null components by their defaults. */
  public SystemBackupSpec {
    backupTargetName = Defaults.or(backupTargetName, BackupTarget.DEFAULT_NAME);
    volumeBackupPolicy = Defaults.or(volumeBackupPolicy, VolumeBackupPolicy.IF_NOT_PRESENT);
    volumeSelector = Defaults.map(volumeSelector);
  }

  /**
   * Returns whether the system backup includes a volume.
   *
   * @param labels of the volume, not null
   */
  public boolean selects(Map<String, String> labels) {
    return VolumeLabels.areAmong(volumeSelector, labels);
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
        .that(
            VolumeLabels.areNamed(volumeSelector),
            "spec.volumeSelector",
            volumeSelector,
            "must have names of labels as keys")
        .errors();
  }

  List<FieldError> validateChange(SystemBackupSpec earlier) {
    return new Checks()
        .immutable(earlier.backupTargetName, backupTargetName, "spec.backupTargetName")
        .immutable(earlier.volumeBackupPolicy, volumeBackupPolicy, "spec.volumeBackupPolicy")
        .immutable(earlier.volumeSelector, volumeSelector, "spec.volumeSelector")
        .errors();
  }
}
