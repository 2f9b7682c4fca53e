package dev.holdfast.resource.image;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import java.util.Locale;

/**
 * The backing image files of one disk.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record BackingImageManager(
    ObjectMeta metadata, BackingImageManagerSpec spec, BackingImageManagerStatus status)
    implements Resource<BackingImageManager> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<BackingImageManager> KIND =
      new ResourceKind<>(
          "BackingImageManager",
          "backingimagemanagers",
          List.of("hfbim"),
          BackingImageManager.class,
          "The backing image files of one disk.",
          List.of(
              ResourceKind.Column.of(
                  "Node", "string", ".spec.nodeID", "The node that has the disk."),
              ResourceKind.Column.of(
                  "State", "string", ".status.currentState", "Whether the disk can be used."),
              ResourceKind.Column.wide(
                  "Disk", "string", ".spec.diskUUID", "Identifier of the disk.")));

  private static final int DISK_DIGITS = 8;

  /** Finalizer that the node removes after it has removed the files of the disk. */
  public static final String FINALIZER = "holdfast.dev/backing-image-manager";

  /** Replaces null components by empty values. */
  public BackingImageManager {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, BackingImageManagerSpec.EMPTY);
    status = Defaults.or(status, BackingImageManagerStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static BackingImageManager of(String name, BackingImageManagerSpec spec) {
    return new BackingImageManager(ObjectMeta.named(name), spec, BackingImageManagerStatus.EMPTY);
  }

  @Override
  public ResourceKind<BackingImageManager> resourceKind() {
    return KIND;
  }

  @Override
  public BackingImageManager withMetadata(ObjectMeta newMetadata) {
    return new BackingImageManager(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public BackingImageManager withSpec(BackingImageManagerSpec newSpec) {
    return new BackingImageManager(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public BackingImageManager withStatus(BackingImageManagerStatus newStatus) {
    return new BackingImageManager(metadata, spec, newStatus);
  }

  @Override
  public BackingImageManager withSpecOf(BackingImageManager other) {
    return withSpec(other.spec());
  }

  @Override
  public BackingImageManager withStatusOf(BackingImageManager other) {
    return withStatus(other.status());
  }

  /**
   * Returns the name of a disk's manager. The name is deterministic, so that a disk never has two
   * managers.
   *
   * @param node node with the disk
   * @param diskUUID identifier that is stored on the disk
   */
  public static String nameFor(String node, String diskUUID) {
    String digits = diskUUID.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    return node + "-" + digits.substring(0, Math.min(DISK_DIGITS, digits.length()));
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate();
  }

  @Override
  public List<FieldError> validateChange(BackingImageManager earlier) {
    return spec.validateChange(earlier.spec());
  }
}
