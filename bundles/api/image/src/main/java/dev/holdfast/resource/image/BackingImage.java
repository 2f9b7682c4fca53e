package dev.holdfast.resource.image;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * Content that many volumes stand on, kept in copies on several disks.
 *
 * @param metadata name and bookkeeping
 * @param spec what is wanted
 * @param status what is observed
 */
public record BackingImage(ObjectMeta metadata, BackingImageSpec spec, BackingImageStatus status)
    implements Resource<BackingImage> {
  /** The kind. */
  public static final ResourceKind<BackingImage> KIND =
      new ResourceKind<>(
          "BackingImage",
          "backingimages",
          List.of("hfbi"),
          BackingImage.class,
          "Content that many volumes stand on, kept in copies on several disks.",
          List.of(
              ResourceKind.Column.of(
                  "Source", "string", ".spec.sourceType", "Where the image comes from."),
              ResourceKind.Column.of(
                  Condition.READY,
                  "string",
                  ".status.conditions[?(@.type==\"Ready\")].status",
                  "Whether a verified copy exists."),
              ResourceKind.Column.of(
                  "File size", "string", ".status.size", "Bytes of the file as it was delivered."),
              ResourceKind.Column.of(
                  "Virtual size",
                  "string",
                  ".status.virtualSize",
                  "Bytes of the disk that the image describes."),
              ResourceKind.Column.wide(
                  "Copies",
                  "integer",
                  ".spec.minNumberOfCopies",
                  "Number of copies that are kept at least."),
              ResourceKind.Column.wide(
                  "UUID", "string", ".status.uuid", "Identifier of this image.")));

  /** Finalizer that the image controller removes after all files of the image. */
  public static final String FINALIZER = "holdfast.dev/backing-image";

  /** Label of a snapshot that is taken for an image: the image's name. */
  public static final String LABEL = "holdfast.dev/backing-image";

  /** Reason of an image that cannot become ready. */
  public static final String FAILED_REASON = Condition.FAILED_REASON;

  /** Replaces what is null by its empty value. */
  public BackingImage {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, BackingImageSpec.EMPTY);
    status = Defaults.or(status, BackingImageStatus.EMPTY);
  }

  /** A resource that is to be created. */
  public static BackingImage of(String name, BackingImageSpec spec) {
    return new BackingImage(ObjectMeta.named(name), spec, BackingImageStatus.EMPTY);
  }

  @Override
  public ResourceKind<BackingImage> resourceKind() {
    return KIND;
  }

  @Override
  public BackingImage withMetadata(ObjectMeta newMetadata) {
    return new BackingImage(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public BackingImage withSpec(BackingImageSpec newSpec) {
    return new BackingImage(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public BackingImage withStatus(BackingImageStatus newStatus) {
    return new BackingImage(metadata, spec, newStatus);
  }

  @Override
  public BackingImage withSpecOf(BackingImage other) {
    return withSpec(other.spec());
  }

  @Override
  public BackingImage withStatusOf(BackingImage other) {
    return withStatus(other.status());
  }

  /** Returns whether a verified copy exists. */
  public boolean isReady() {
    return Condition.isTrue(status.conditions(), Condition.READY);
  }

  /** Returns whether every file failed and nothing is tried any more. */
  public boolean hasFailed() {
    return Condition.find(status.conditions(), Condition.READY)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .filter(condition -> condition.reason().equals(FAILED_REASON))
        .isPresent();
  }

  /** Returns the state of the file on a disk; pending when nothing is known of it. */
  public ImageState stateOn(String diskUUID) {
    return status.diskFileStatusMap().getOrDefault(diskUUID, DiskFileStatus.EMPTY).state();
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(BackingImage earlier) {
    return spec.validateChange(earlier.spec());
  }
}
