package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * What is observed of a disk.
 *
 * @param diskUUID identifier that is kept on the disk itself
 * @param path its directory
 * @param storageMaximum size of its filesystem
 * @param storageAvailable free space of its filesystem
 * @param conditions observed aspects: Ready
 */
@RecordBuilder
public record DiskStatus(
    String diskUUID,
    String path,
    Quantity storageMaximum,
    Quantity storageAvailable,
    List<Condition> conditions)
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
  }
}
