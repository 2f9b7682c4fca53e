package dev.holdfast.resource.attachment;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import java.util.Optional;

/**
 * Records which clients want the volume attached and to which node.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record VolumeAttachment(
    ObjectMeta metadata, VolumeAttachmentSpec spec, VolumeAttachmentStatus status)
    implements Resource<VolumeAttachment> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<VolumeAttachment> KIND =
      new ResourceKind<>(
          "VolumeAttachment",
          "volumeattachments",
          List.of("hfva"),
          VolumeAttachment.class,
          "Records which clients want the volume attached and to which node.",
          List.of(ResourceKind.Column.of("Volume", "string", ".spec.volume", "The volume.")));

  /** Finalizer that keeps a deleted attachment while its volume is being deleted. */
  public static final String FINALIZER = "holdfast.dev/attachment";

  /** Replaces null components by empty values. */
  public VolumeAttachment {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, VolumeAttachmentSpec.EMPTY);
    status = Defaults.or(status, VolumeAttachmentStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static VolumeAttachment of(String name, VolumeAttachmentSpec spec) {
    return new VolumeAttachment(ObjectMeta.named(name), spec, VolumeAttachmentStatus.EMPTY);
  }

  @Override
  public ResourceKind<VolumeAttachment> resourceKind() {
    return KIND;
  }

  @Override
  public VolumeAttachment withMetadata(ObjectMeta newMetadata) {
    return new VolumeAttachment(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public VolumeAttachment withSpec(VolumeAttachmentSpec newSpec) {
    return new VolumeAttachment(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public VolumeAttachment withStatus(VolumeAttachmentStatus newStatus) {
    return new VolumeAttachment(metadata, spec, newStatus);
  }

  @Override
  public VolumeAttachment withSpecOf(VolumeAttachment other) {
    return withSpec(other.spec());
  }

  @Override
  public VolumeAttachment withStatusOf(VolumeAttachment other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(VolumeAttachment earlier) {
    return spec.validateChange(earlier);
  }

  @Override
  public VolumeAttachment completed(Optional<VolumeAttachment> earlier) {
    return withSpec(earlier.map(spec::numbered).orElseGet(spec::numbered));
  }
}
