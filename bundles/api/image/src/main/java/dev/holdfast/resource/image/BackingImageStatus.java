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
 *     name; assigned once, before anything else
 * @param checksum SHA-512 of the file as it was delivered; assigned once
 * @param contentChecksum checksum of the content of the disk, by which copies are compared;
 *     assigned once
 * @param size bytes of the file as it was delivered
 * @param virtualSize bytes of the disk that the image describes; a volume must be at least as large
 * @param realSize bytes that a copy occupies on a disk
 * @param format format in which the file was delivered
 * @param diskFileStatusMap state of the file on each disk, by the UUID of the disk
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
  /** Nothing set. */
  public static final BackingImageStatus EMPTY = BackingImageStatusBuilder.builder().build();

  /** Replaces what is null by its default and copies the collections. */
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
