package dev.holdfast.resource.deletion;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.VolumeSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Description of a deleted volume, and the time until which its content is kept.
 *
 * @param volumeUID uid of the deleted volume; never changes
 * @param volumeSpec the spec with which the volume is restored; never changes
 * @param labels labels of the volume; never change
 * @param annotations annotations of the volume; never change
 * @param activeEngine name of the volume's engine; never changes
 * @param currentSize size of the device; never changes
 * @param actualSize bytes that one replica occupies on its disk; never changes
 * @param deletedAt time of the deletion; never changes
 * @param purgeAt time from which the content is removed; may be extended until then
 * @param undelete whether the volume must be restored; may be set while its content is kept
 */
@RecordBuilder
public record DeletedVolumeSpec(
    String volumeUID,
    VolumeSpec volumeSpec,
    Map<String, String> labels,
    Map<String, String> annotations,
    String activeEngine,
    Quantity currentSize,
    Quantity actualSize,
    Optional<Instant> deletedAt,
    Optional<Instant> purgeAt,
    boolean undelete)
    implements DeletedVolumeSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final DeletedVolumeSpec EMPTY = DeletedVolumeSpecBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public DeletedVolumeSpec {
    volumeUID = Defaults.text(volumeUID);
    volumeSpec = Defaults.or(volumeSpec, VolumeSpec.EMPTY);
    labels = Defaults.map(labels);
    annotations = Defaults.map(annotations);
    activeEngine = Defaults.text(activeEngine);
    currentSize = Defaults.or(currentSize, Quantity.ZERO);
    actualSize = Defaults.or(actualSize, Quantity.ZERO);
    deletedAt = Defaults.optional(deletedAt);
    purgeAt = Defaults.optional(purgeAt);
  }

  List<FieldError> validate() {
    return new Checks()
        .required(volumeUID, "spec.volumeUID")
        .that(deletedAt.isPresent(), "spec.deletedAt", "", "must be a time")
        .that(purgeAt.isPresent(), "spec.purgeAt", "", "must be a time")
        .errors();
  }

  List<FieldError> validateChange(DeletedVolumeSpec earlier) {
    return new Checks()
        .immutable(earlier.volumeUID, volumeUID, "spec.volumeUID")
        .immutable(earlier.volumeSpec, volumeSpec, "spec.volumeSpec")
        .immutable(earlier.labels, labels, "spec.labels")
        .immutable(earlier.annotations, annotations, "spec.annotations")
        .immutable(earlier.activeEngine, activeEngine, "spec.activeEngine")
        .immutable(earlier.currentSize, currentSize, "spec.currentSize")
        .immutable(earlier.actualSize, actualSize, "spec.actualSize")
        .immutable(earlier.deletedAt, deletedAt, "spec.deletedAt")
        .that(
            earlier.purgeAt.isEmpty()
                || purgeAt.filter(time -> !time.isBefore(earlier.purgeAt.get())).isPresent(),
            "spec.purgeAt",
            purgeAt.map(Object::toString).orElse(""),
            "must not be before "
                + earlier.purgeAt.map(Object::toString).orElse("")
                + ": delete the resource to remove the content earlier")
        .errors();
  }
}
