package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.DeviceMapper;
import dev.holdfast.host.Host;
import dev.holdfast.host.MappedDevice;
import dev.holdfast.host.MapperTarget;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The two devices of an attached blob. Both are linear, because a table may be replaced by another
 * of the same kind only:
 *
 * <pre>
 *   host ──► upper ──► lower ──► logical volume
 *            table changes only for growth
 *                      table may point elsewhere while the upper one holds the requests
 * </pre>
 *
 * Calls are idempotent, and complete what a crash left: a device that is suspended is resumed with
 * the right table. Thread-safe for different blobs.
 */
final class BlobLayers {
  private static final String UUID_PREFIX = "HOLDFAST-LVM-";
  private static final int SECTOR = 512;

  private final DeviceMapper mapper;

  BlobLayers(Host host) {
    this.mapper = new DeviceMapper(host);
  }

  /**
   * Makes both devices point at a logical volume, from its first byte on.
   *
   * @param identity of the blob's bytes: the uuid of the logical volume
   * @param below major and minor number of what the lower one points at
   * @throws StorageException INVALID when another program has a device of the name
   */
  AttachedBlob ensure(Blob blob, String identity, String below, long sizeBytes)
      throws StorageException {
    long sectors = sizeBytes / SECTOR;
    MappedDevice lower = place(lower(blob), UUID_PREFIX + identity + "-l", below, sectors);
    MappedDevice upper = place(upper(blob), UUID_PREFIX + identity + "-u", lower.number(), sectors);
    return new AttachedBlob(Path.of(upper.path()), sizeBytes);
  }

  private MappedDevice place(String name, String uuid, String below, long sectors)
      throws StorageException {
    List<MapperTarget> table = List.of(MapperTarget.linear(0, sectors, below, 0));
    Optional<MappedDevice> found = mapper.find(name);
    if (found.isEmpty()) {
      mapper.create(name, uuid, table);
      return require(name);
    }
    MappedDevice device = found.get();
    if (!device.uuid().equals(uuid)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "device "
              + name
              + " is of another program, its uuid is \""
              + device.uuid()
              + "\": remove it if it is not needed: dmsetup remove "
              + name);
    }
    if (device.suspended()
        || device.inactiveTable()
        || !device.liveTable()
        || !mapper.table(name).equals(table)) {
      mapper.reload(name, table);
      mapper.suspend(name, DeviceMapper.Suspension.AT_ONCE);
      mapper.resume(name);
    }
    return device;
  }

  private MappedDevice require(String name) throws StorageException {
    return mapper
        .find(name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.INTERNAL, "device " + name + " was created and is absent"));
  }

  /**
   * Removes both devices; succeeds when they are absent.
   *
   * @throws StorageException BUSY while a program has the upper one open
   */
  void remove(Blob blob) throws StorageException {
    for (String name : List.of(upper(blob), lower(blob))) {
      Optional<MappedDevice> found = mapper.find(name);
      if (found.isPresent() && found.get().uuid().startsWith(UUID_PREFIX)) {
        mapper.remove(name);
      }
    }
  }

  private static String upper(Blob blob) {
    return BlobNames.upper(blob.group(), blob.name());
  }

  private static String lower(Blob blob) {
    return BlobNames.lower(blob.group(), blob.name());
  }
}
