package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * Identifies the backup of an image at a target.
 *
 * @param backupTargetName name of the target; never changes
 * @param backingImage name of the backing image; never changes
 * @param userCreated whether this cluster writes the backup; false for a backup that a scan of the
 *     target found
 * @param labels labels that the target keeps with the backup; without effect after the backup is
 *     complete
 */
@RecordBuilder
public record BackupBackingImageSpec(
    String backupTargetName, String backingImage, boolean userCreated, Map<String, String> labels)
    implements BackupBackingImageSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackupBackingImageSpec EMPTY =
      BackupBackingImageSpecBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public BackupBackingImageSpec {
    backupTargetName = Defaults.or(backupTargetName, BackupTarget.DEFAULT_NAME);
    backingImage = Defaults.text(backingImage);
    labels = Defaults.map(labels);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    String expected = BackupBackingImage.nameFor(backupTargetName, backingImage);
    return new Checks()
        .name(backupTargetName, "spec.backupTargetName")
        .name(backingImage, "spec.backingImage")
        .that(
            backingImage.length() != 1,
            "spec.backingImage",
            backingImage,
            "must be at least 2 characters, because targets keep no shorter names")
        .that(
            metadata.name().equals(expected),
            "metadata.name",
            metadata.name(),
            "must be " + expected + ", which follows from the target and the image")
        .errors();
  }

  List<FieldError> validateChange(BackupBackingImageSpec earlier) {
    return new Checks()
        .immutable(earlier.backupTargetName, backupTargetName, "spec.backupTargetName")
        .immutable(earlier.backingImage, backingImage, "spec.backingImage")
        .errors();
  }
}
