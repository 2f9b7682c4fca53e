package dev.holdfast.resource.image;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The observed state of a backing image.
 *
 * @param uuid identifier of this image, which distinguishes it from earlier images of the same
 *     name; assigned once, in the first step
 * @param checksum SHA-512 of the delivered file; assigned once
 * @param contentChecksum checksum of the disk's content, used to compare copies; assigned once
 * @param size bytes of the delivered file
 * @param virtualSize bytes of the disk that the image describes; a volume must be at least as large
 * @param realSize bytes that a copy occupies on a disk
 * @param format format of the delivered file
 * @param diskFileStatusMap state of the file on each disk, by disk UUID
 * @param diskLastRefAtMap time since which no replica uses the file, by the UUID of the disk
 * @param conditions observed aspects: Ready
 */
@RecordBuilder
public record BackingImageStatus(
    String uuid,
    String checksum,
    String contentChecksum,
    Quantity size,
    Quantity virtualSize,
    Quantity realSize,
    String format,
    Map<String, DiskFileStatus> diskFileStatusMap,
    Map<String, Instant> diskLastRefAtMap,
    List<Condition> conditions)
    implements BackingImageStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackingImageStatus EMPTY = BackingImageStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public BackingImageStatus {
    uuid = Defaults.text(uuid);
    checksum = Defaults.text(checksum);
    contentChecksum = Defaults.text(contentChecksum);
    size = Defaults.or(size, Quantity.ZERO);
    virtualSize = Defaults.or(virtualSize, Quantity.ZERO);
    realSize = Defaults.or(realSize, Quantity.ZERO);
    format = Defaults.text(format);
    diskFileStatusMap = Defaults.map(diskFileStatusMap);
    diskLastRefAtMap = Defaults.map(diskLastRefAtMap);
    conditions = Defaults.list(conditions);
  }
}
