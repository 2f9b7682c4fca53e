package dev.holdfast.resource.image;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * The wanted state of the image files of one disk.
 *
 * @param nodeID the node that has the disk
 * @param diskUUID identifier that is stored on the disk; never changes
 * @param diskPath directory of the disk on its node
 * @param backingImages UUID of each wanted image of the disk, by image name
 */
@RecordBuilder
public record BackingImageManagerSpec(
    String nodeID, String diskUUID, String diskPath, Map<String, String> backingImages)
    implements BackingImageManagerSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackingImageManagerSpec EMPTY =
      BackingImageManagerSpecBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public BackingImageManagerSpec {
    nodeID = Defaults.text(nodeID);
    diskUUID = Defaults.text(diskUUID);
    diskPath = Defaults.text(diskPath);
    backingImages = Defaults.map(backingImages);
  }

  List<FieldError> validate() {
    return new Checks()
        .name(nodeID, "spec.nodeID")
        .required(diskUUID, "spec.diskUUID")
        .required(diskPath, "spec.diskPath")
        .errors();
  }

  List<FieldError> validateChange(BackingImageManagerSpec earlier) {
    return new Checks().immutable(earlier.diskUUID, diskUUID, "spec.diskUUID").errors();
  }
}
