package dev.holdfast.resource.image;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * Content that many volumes use as their base, stored as copies on several disks.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record BackingImage(ObjectMeta metadata, BackingImageSpec spec, BackingImageStatus status)
    implements Resource<BackingImage> {
  /** Names, Java type and printed columns of the kind. */
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

  /** Finalizer that the image controller removes after it has removed all files of the image. */
  public static final String FINALIZER = "holdfast.dev/backing-image";

  /** Label of a snapshot that is taken for an image: the image's name. */
  public static final String LABEL = "holdfast.dev/backing-image";

  /** Reason of an image that cannot become ready. */
  public static final String FAILED_REASON = Condition.FAILED_REASON;

  /** Replaces null components by empty values. */
  public BackingImage {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, BackingImageSpec.EMPTY);
    status = Defaults.or(status, BackingImageStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
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

  /** Returns whether every file failed without further attempts. */
  public boolean hasFailed() {
    return Condition.find(status.conditions(), Condition.READY)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .filter(condition -> condition.reason().equals(FAILED_REASON))
        .isPresent();
  }

  /** Returns the state of the file on a disk; pending if the file is unknown. */
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
