package dev.holdfast.resource.node;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The observed state of a disk.
 *
 * @param diskUUID identifier that is stored on the disk itself
 * @param path its directory
 * @param storageMaximum size of its filesystem
 * @param storageAvailable free space of its filesystem
 * @param conditions observed aspects: Ready
 * @param filesystem type and UUID of its filesystem, or type and device; empty when unknown
 * @param mountPoint mount point of the filesystem when the disk was last ready; empty when unknown
 */
@RecordBuilder
public record DiskStatus(
    String diskUUID,
    String path,
    Quantity storageMaximum,
    Quantity storageAvailable,
    List<Condition> conditions,
    String filesystem,
    String mountPoint)
    implements DiskStatusBuilder.With {
  /** Nothing set. */
  public static final DiskStatus EMPTY = new DiskStatus(null, null, null, null, null);

  /** Replaces what is null by its default and copies the collections. */
  public DiskStatus {
    diskUUID = Defaults.text(diskUUID);
    path = Defaults.text(path);
    storageMaximum = Defaults.or(storageMaximum, Quantity.ZERO);
    storageAvailable = Defaults.or(storageAvailable, Quantity.ZERO);
    conditions = Defaults.list(conditions);
    filesystem = Defaults.text(filesystem);
    mountPoint = Defaults.text(mountPoint);
  }

  /** A disk whose filesystem is not known. */
  public DiskStatus(
      String diskUUID,
      String path,
      Quantity storageMaximum,
      Quantity storageAvailable,
      List<Condition> conditions) {
    this(diskUUID, path, storageMaximum, storageAvailable, conditions, null, null);
  }
}
