package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * The backup of a backing image at a target. A backup that a scan of the target found has {@code
 * spec.userCreated} false. Such a resource is a cache entry, and its deletion alone deletes nothing
 * at the target. With the finalizer {@link Backup#FINALIZER} the deletion deletes the backup there.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record BackupBackingImage(
    ObjectMeta metadata, BackupBackingImageSpec spec, BackupBackingImageStatus status)
    implements Resource<BackupBackingImage> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<BackupBackingImage> KIND =
      new ResourceKind<>(
          "BackupBackingImage",
          "backupbackingimages",
          List.of("hfbbi"),
          BackupBackingImage.class,
          "The backup of a backing image at a target.",
          List.of(
              ResourceKind.Column.of("Image", "string", ".spec.backingImage", "The image."),
              ResourceKind.Column.of("State", "string", ".status.state", "State of the backup."),
              ResourceKind.Column.of(
                  "Progress", "integer", ".status.progress", "Percent that is written."),
              ResourceKind.Column.of(
                  "Size", "string", ".status.size", "Bytes of the disk that the image describes."),
              ResourceKind.Column.wide(
                  "Target", "string", ".spec.backupTargetName", "Target that keeps it.")));

  /** Parameter of the image source {@code restore}: the address of the backup of an image. */
  public static final String URL_PARAMETER = "backup-url";

  /** Name of the image source that restores images from their backups. */
  public static final String SOURCE_TYPE = "restore";

  /** Parameter of an address that names the image. */
  public static final String ADDRESS_PARAMETER = "backingImage";

  /** Replaces null components by empty values. */
  public BackupBackingImage {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, BackupBackingImageSpec.EMPTY);
    status = Defaults.or(status, BackupBackingImageStatus.EMPTY);
  }

  /** Returns a new resource for an image at a target. */
  public static BackupBackingImage of(String target, String image) {
    return new BackupBackingImage(
        ObjectMeta.named(nameFor(target, image)),
        BackupBackingImageSpec.EMPTY.withBackupTargetName(target).withBackingImage(image),
        BackupBackingImageStatus.EMPTY);
  }

  /**
   * Returns the name of the resource for an image at a target: the start of the image's name and a
   * hash of both names, so that all controllers use the same name.
   */
  public static String nameFor(String target, String image) {
    return BackupVolume.nameFor(target, image);
  }

  @Override
  public ResourceKind<BackupBackingImage> resourceKind() {
    return KIND;
  }

  @Override
  public BackupBackingImage withMetadata(ObjectMeta newMetadata) {
    return new BackupBackingImage(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public BackupBackingImage withSpec(BackupBackingImageSpec newSpec) {
    return new BackupBackingImage(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public BackupBackingImage withStatus(BackupBackingImageStatus newStatus) {
    return new BackupBackingImage(metadata, spec, newStatus);
  }

  @Override
  public BackupBackingImage withSpecOf(BackupBackingImage other) {
    return withSpec(other.spec());
  }

  @Override
  public BackupBackingImage withStatusOf(BackupBackingImage other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(BackupBackingImage earlier) {
    return spec.validateChange(earlier.spec());
  }

  /** Returns whether the system has no more work for the backup until its deletion. */
  public boolean isFinal() {
    return switch (status.state()) {
      case NONE, IN_PROGRESS -> false;
      case COMPLETED -> true;
      case ERROR -> status.nextAttemptAt().isEmpty();
    };
  }
}
