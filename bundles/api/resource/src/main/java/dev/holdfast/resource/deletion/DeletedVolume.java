package dev.holdfast.resource.deletion;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.util.Collection;
import java.util.List;

/**
 * A volume that was deleted and whose content is kept for a time. It has the name of the volume and
 * owns the engine, the replicas and the snapshots that the volume had. Its deletion removes the
 * content at once.
 *
 * @param metadata name and bookkeeping
 * @param spec what is kept
 * @param status observed state
 * @since 1.1
 */
public record DeletedVolume(ObjectMeta metadata, DeletedVolumeSpec spec, DeletedVolumeStatus status)
    implements Resource<DeletedVolume> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<DeletedVolume> KIND =
      new ResourceKind<>(
          "DeletedVolume",
          "deletedvolumes",
          List.of("hfdv"),
          DeletedVolume.class,
          "A volume that was deleted and whose content is kept for a time. Its deletion removes the"
              + " content.",
          List.of(
              ResourceKind.Column.of(
                  "Size", "string", ".spec.volumeSpec.size", "Size of the device."),
              ResourceKind.Column.of("State", "string", ".status.state", "The current state."),
              ResourceKind.Column.of(
                  "Purge", "string", ".spec.purgeAt", "Time from which the content is removed."),
              ResourceKind.Column.wide(
                  "Engine",
                  "string",
                  ".spec.volumeSpec.dataEngine",
                  "Engine that keeps the bytes.")));

  /** Finalizer that the volume controller removes after the content, or its return. */
  public static final String FINALIZER = "holdfast.dev/deleted-volume";

  /** Annotation of a volume that was made again: uid of the resource that kept its content. */
  public static final String UNDELETED_ANNOTATION = "holdfast.dev/undeleted";

  /** Replaces null components by empty values. */
  public DeletedVolume {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, DeletedVolumeSpec.EMPTY);
    status = Defaults.or(status, DeletedVolumeStatus.EMPTY);
  }

  /** Returns a resource that is to be created. */
  public static DeletedVolume of(String name, DeletedVolumeSpec spec) {
    return new DeletedVolume(
        ObjectMeta.named(name).plusFinalizer(FINALIZER), spec, DeletedVolumeStatus.EMPTY);
  }

  /** Returns whether it keeps, or is to keep, the content of a volume, not null. */
  public boolean isOf(Volume volume) {
    return name().equals(volume.name()) && spec.volumeUID().equals(volume.metadata().uid());
  }

  /** Returns whether a volume, not null, was made again from this resource. */
  public boolean isSourceOf(Volume volume) {
    return !metadata.uid().isEmpty()
        && metadata.uid().equals(volume.metadata().annotations().get(UNDELETED_ANNOTATION));
  }

  /**
   * Returns whether a part of a volume, not null, such as a replica, belongs to this resource. A
   * part of another volume with the same name does not.
   */
  public boolean owns(Resource<?> part) {
    return !metadata.uid().isEmpty()
        && part.metadata().ownerReferences().stream()
            .anyMatch(owner -> owner.uid().equals(metadata.uid()));
  }

  /**
   * Returns the bytes that the kept content uses on the disks of some replicas.
   *
   * @param replicas of any volumes, not null; replicas of other volumes and witnesses are ignored
   */
  public Quantity spaceOn(Collection<Replica> replicas) {
    long copies =
        replicas.stream().filter(this::owns).filter(replica -> !replica.spec().witness()).count();
    return new Quantity(Math.multiplyExact(spec.actualSize().bytes(), copies));
  }

  @Override
  public ResourceKind<DeletedVolume> resourceKind() {
    return KIND;
  }

  @Override
  public DeletedVolume withMetadata(ObjectMeta newMetadata) {
    return new DeletedVolume(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public DeletedVolume withSpec(DeletedVolumeSpec newSpec) {
    return new DeletedVolume(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public DeletedVolume withStatus(DeletedVolumeStatus newStatus) {
    return new DeletedVolume(metadata, spec, newStatus);
  }

  @Override
  public DeletedVolume withSpecOf(DeletedVolume other) {
    return withSpec(other.spec());
  }

  @Override
  public DeletedVolume withStatusOf(DeletedVolume other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return new Checks().all(spec.validate()).errors();
  }

  @Override
  public List<FieldError> validateChange(DeletedVolume earlier) {
    return spec.validateChange(earlier.spec());
  }
}
