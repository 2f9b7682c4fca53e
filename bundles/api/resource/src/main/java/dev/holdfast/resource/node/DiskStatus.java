package dev.holdfast.resource.node;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a disk.
 *
 * @param diskUUID identifier that is stored on the disk itself
 * @param path its directory, device or volume group
 * @param storageMaximum size of its filesystem or of the disk
 * @param storageAvailable free space of its filesystem or of the disk
 * @param conditions observed aspects: Ready
 * @param filesystem type and UUID of its filesystem, or type and device; empty when unknown
 * @param mountPoint mount point of the filesystem when the disk was last ready; empty when unknown
 * @param type kind of the disk
 * @param engine engine that uses the disk; empty for a directory
 * @param storagePromisable sum of the volume sizes of all replicas that the engine of the disk
 *     permits on it; 0 for a directory, whose limit is a setting
 * @param shared whether several nodes may see the disk
 * @param durable whether flushed data survives a power cut on the disk
 */
@RecordBuilder
public record DiskStatus(
    String diskUUID,
    String path,
    Quantity storageMaximum,
    Quantity storageAvailable,
    List<Condition> conditions,
    String filesystem,
    String mountPoint,
    DiskType type,
    String engine,
    Quantity storagePromisable,
    boolean shared,
    Boolean durable)
    implements DiskStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final DiskStatus EMPTY = DiskStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public DiskStatus {
    diskUUID = Defaults.text(diskUUID);
    path = Defaults.text(path);
    storageMaximum = Defaults.or(storageMaximum, Quantity.ZERO);
    storageAvailable = Defaults.or(storageAvailable, Quantity.ZERO);
    conditions = Defaults.list(conditions);
    filesystem = Defaults.text(filesystem);
    mountPoint = Defaults.text(mountPoint);
    type = Defaults.or(type, DiskType.DIRECTORY);
    engine = Defaults.text(engine);
    storagePromisable = Defaults.or(storagePromisable, Quantity.ZERO);
    durable = Defaults.or(durable, Boolean.TRUE);
  }

  /**
   * Returns the name of the disk's filesystem. Disks of a node with the same name share their total
   * and free space. Empty if the name does not identify one filesystem, such as {@code tmpfs
   * tmpfs}.
   */
  public Optional<String> sharedFilesystem() {
    String source = filesystem.substring(filesystem.indexOf(' ') + 1);
    boolean identifies =
        source.startsWith("UUID=") || (source.startsWith("/dev/") && !source.equals("/dev/fuse"));
    return Optional.of(filesystem).filter(name -> identifies);
  }
}
