package dev.holdfast.resource.image;

import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The wanted state of the transfer that brings an image in.
 *
 * @param uuid identifier of the image; never changes
 * @param nodeID the node that transfers
 * @param diskUUID the disk that receives the file
 * @param diskPath directory of that disk on its node
 * @param sourceType name of the image source; never changes
 * @param parameters parameters of the source; never change
 * @param checksum expected SHA-512 of the file as it is delivered; empty to accept any
 * @param fileTransferred whether the manager of the disk has accepted the file, which ends the
 *     transfer
 */
@RecordBuilder
public record BackingImageDataSourceSpec(
    String uuid,
    String nodeID,
    String diskUUID,
    String diskPath,
    String sourceType,
    Map<String, String> parameters,
    String checksum,
    boolean fileTransferred)
    implements BackingImageDataSourceSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackingImageDataSourceSpec EMPTY =
      BackingImageDataSourceSpecBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public BackingImageDataSourceSpec {
    uuid = Defaults.text(uuid);
    nodeID = Defaults.text(nodeID);
    diskUUID = Defaults.text(diskUUID);
    diskPath = Defaults.text(diskPath);
    sourceType = Defaults.text(sourceType);
    parameters = Defaults.map(parameters);
    checksum = Defaults.text(checksum);
  }

  /** Returns the volume whose content the image receives; empty for other sources. */
  public Optional<String> exportedVolume() {
    return Optional.ofNullable(parameters.get(ClusterDisks.VOLUME_PARAMETER))
        .filter(volume -> !volume.isEmpty());
  }

  List<FieldError> validate() {
    return new Checks()
        .required(uuid, "spec.uuid")
        .name(sourceType, "spec.sourceType")
        .that(
            nodeID.isEmpty() == diskUUID.isEmpty() && diskUUID.isEmpty() == diskPath.isEmpty(),
            "spec.diskUUID",
            diskUUID,
            "must be set together with spec.nodeID and spec.diskPath")
        .errors();
  }

  List<FieldError> validateChange(BackingImageDataSourceSpec earlier) {
    return new Checks()
        .immutable(earlier.uuid, uuid, "spec.uuid")
        .immutable(earlier.sourceType, sourceType, "spec.sourceType")
        .immutable(earlier.parameters, parameters, "spec.parameters")
        .errors();
  }
}
