package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.DeviceMapper;
import dev.holdfast.host.Host;
import dev.holdfast.host.MappedDevice;
import dev.holdfast.host.MapperTarget;
import dev.holdfast.host.ProgramCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The devices of a blob: the lower one while it is attached, the upper one while hosts may use it.
 * Both are linear, because a table may be replaced by another of the same kind only:
 *
 * <pre>
 *   host ──► upper ──► lower ──► logical volume
 *            table changes only for growth
 *                      table may point elsewhere while the upper one holds the requests
 * </pre>
 *
 * A blob of a shared group has a third one, the middle one between both. All requests pass it,
 * those of this process too, so it holds them while the lower one is pointed elsewhere.
 *
 * <p>Calls are idempotent, and complete what a crash left: a device that is suspended is resumed
 * with the right table. Thread-safe for different blobs.
 */
final class BlobLayers {
  private static final String UUID_PREFIX = "HOLDFAST-LVM-";
  private static final int SECTOR = 512;
  private static final DeviceMapper.Suspension DRAINED = new DeviceMapper.Suspension(true, false);

  private static final Duration SHORT = Duration.ofMinutes(1);

  private final Host host;
  private final DeviceMapper mapper;

  BlobLayers(Host host) {
    this.host = host;
    this.mapper = new DeviceMapper(host);
  }

  /**
   * Makes the lower device point at a logical volume, from its first byte on. An upper one that
   * exists gets the same size, and stays as suspended as it is.
   *
   * @param identity of the blob's bytes: the uuid of the logical volume
   * @param below major and minor number of what the lower one points at
   * @throws StorageException INVALID when another program has a device of the name
   */
  AttachedBlob ensure(Blob blob, String identity, String below, long sizeBytes)
      throws StorageException {
    MappedDevice lower =
        place(lower(blob), UUID_PREFIX + identity + "-l", table(below, sizeBytes), false);
    if (mapper.find(upper(blob)).isPresent()) {
      MappedDevice unused = placeUpper(blob, lower, sizeBytes);
    }
    return new AttachedBlob(Path.of(lower.path()), sizeBytes);
  }

  /**
   * Makes the lower device of a blob in a shared group point at a device, after requests that use
   * another one have ended there, and lets requests pass.
   *
   * @param identity of the blob's bytes: the uuid of the logical volume
   * @param below major and minor number of what the lower one points at
   * @throws StorageException INVALID when another program has a device of the name
   */
  AttachedBlob point(Blob blob, String identity, String below, long sizeBytes)
      throws StorageException {
    List<MapperTarget> table = table(below, sizeBytes);
    Optional<MappedDevice> present = own(lower(blob));
    if (present.isPresent() && !mapper.table(lower(blob)).equals(table)) {
      hold(blob);
      if (!present.get().suspended()) {
        mapper.suspend(lower(blob), DRAINED);
      }
    }
    MappedDevice lower = place(lower(blob), UUID_PREFIX + identity + "-l", table, false);
    List<MapperTarget> above = table(lower.number(), sizeBytes);
    MappedDevice middle = place(middle(blob), UUID_PREFIX + identity + "-m", above, true);
    // A suspension of the upper one waits for its requests, which wait here.
    if (require(middle.name()).suspended()) {
      mapper.resume(middle.name());
    }
    if (mapper.find(upper(blob)).isPresent()) {
      MappedDevice unused = placeUpper(blob, middle, sizeBytes);
    }
    return new AttachedBlob(Path.of(middle.path()), sizeBytes);
  }

  /** Lets the requests of a blob in a shared group wait; succeeds when it has no devices. */
  private void hold(Blob blob) throws StorageException {
    Optional<MappedDevice> middle = own(middle(blob));
    if (middle.isPresent() && !middle.get().suspended()) {
      mapper.suspend(middle.get().name(), DeviceMapper.Suspension.AT_ONCE);
    }
  }

  /**
   * Lets the requests of a blob in a shared group wait, ends those in flight, and points its lower
   * device nowhere. Succeeds when it has no devices.
   */
  void cut(Blob blob) throws StorageException {
    Optional<MappedDevice> lower = own(lower(blob));
    if (lower.isEmpty()) {
      return;
    }
    hold(blob);
    String name = lower.get().name();
    List<MapperTarget> table = mapper.table(name);
    List<MapperTarget> nowhere = List.of(MapperTarget.error(0, table.get(0).sectors()));
    if (!table.equals(nowhere)) {
      mapper.suspend(name, DRAINED);
      mapper.reload(name, nowhere);
    }
    if (!table.equals(nowhere) || lower.get().suspended()) {
      mapper.resume(name);
    }
  }

  private static List<MapperTarget> table(String below, long sizeBytes) {
    return List.of(MapperTarget.linear(0, sizeBytes / SECTOR, below, 0));
  }

  private MappedDevice placeUpper(Blob blob, MappedDevice lower, long sizeBytes)
      throws StorageException {
    String prefix = lower.uuid().substring(0, lower.uuid().length() - 1) + "u-"; // of l or m
    return place(upper(blob), prefix, table(lower.number(), sizeBytes), true);
  }

  private MappedDevice place(
      String name, String uuid, List<MapperTarget> table, boolean staysSuspended)
      throws StorageException {
    Optional<MappedDevice> found = mapper.find(name);
    if (found.isEmpty()) {
      String suffix = staysSuspended ? UUID.randomUUID().toString() : "";
      mapper.create(name, uuid + suffix, table);
      return require(name);
    }
    MappedDevice device = found.get();
    if (!device.uuid().startsWith(uuid)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "device "
              + name
              + " is of another program, its uuid is \""
              + device.uuid()
              + "\": remove it if it is not needed: dmsetup remove "
              + name);
    }
    boolean suspended = device.suspended();
    boolean right =
        device.liveTable() && !device.inactiveTable() && mapper.table(name).equals(table);
    if (!right || (suspended && !staysSuspended)) {
      mapper.reload(name, table);
      if (!suspended || !staysSuspended) {
        mapper.suspend(name, DeviceMapper.Suspension.AT_ONCE);
        mapper.resume(name);
      }
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

  /** Returns the device of this process, the middle or the lower one, when it serves requests. */
  Optional<Path> attached(Blob blob) throws StorageException {
    return front(blob)
        .filter(device -> device.liveTable() && !device.suspended())
        .map(device -> Path.of(device.path()));
  }

  /** Returns whether there is a device for hosts. */
  boolean isShown(Blob blob) throws StorageException {
    return own(upper(blob)).isPresent();
  }

  /**
   * Makes the device for hosts, whose requests do not wait then.
   *
   * @throws StorageException NOT_FOUND when the blob is not attached; INVALID when another program
   *     has a device of the name
   */
  Path show(Blob blob) throws StorageException {
    MappedDevice lower =
        front(blob)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, "blob " + blob + " is not attached: attach it first"));
    long sectors = mapper.table(lower.name()).get(0).sectors();
    MappedDevice upper = placeUpper(blob, lower, sectors * SECTOR);
    if (upper.suspended()) {
      mapper.resume(upper.name());
    }
    return Path.of(upper.path());
  }

  /** Lets the requests of hosts pass; succeeds when the device is absent for them. */
  void release(Blob blob) throws StorageException {
    Optional<MappedDevice> upper = own(upper(blob));
    if (upper.isPresent() && upper.get().suspended()) {
      mapper.resume(upper.get().name());
    }
  }

  /**
   * Takes the device for hosts away. When a program has it open, its requests fail from now on, and
   * the device disappears with its last user, under another name:
   *
   * <pre>
   *   requests fail ─► removal is deferred ─► renamed: the next device of the blob is another one
   * </pre>
   */
  void hide(Blob blob) throws StorageException {
    Optional<MappedDevice> found = own(upper(blob));
    if (found.isEmpty()) {
      return;
    }
    MappedDevice upper = found.get();
    String name = upper.name();
    if (!upper.suspended() && upper.openCount() == 0 && removed(name)) {
      return;
    }
    long sectors = Math.max(1, mapper.table(name).get(0).sectors());
    mapper.reload(name, List.of(MapperTarget.error(0, sectors)));
    mapper.suspend(name, DeviceMapper.Suspension.AT_ONCE);
    mapper.resume(name);
    dmsetup("remove", "--deferred", name);
    if (mapper.find(name).isPresent()) {
      String next = name + "-x" + upper.number().replace(":", ".");
      dmsetup("rename", "--verifyudev", name, next); // the node too, where no udev makes them
    }
  }

  private boolean removed(String name) throws StorageException {
    try {
      mapper.remove(name);
      return true;
    } catch (StorageException e) {
      if (e.code() != ErrorCode.BUSY) {
        throw e;
      }
      return false;
    }
  }

  private void dmsetup(String... arguments) throws StorageException {
    List<String> command = new ArrayList<>(List.of(host.require("dmsetup", "dmsetup")));
    command.addAll(List.of(arguments));
    String unused = host.check(ProgramCall.of(SHORT, command));
  }

  private Optional<MappedDevice> front(Blob blob) throws StorageException {
    Optional<MappedDevice> middle = own(middle(blob));
    return middle.isPresent() ? middle : own(lower(blob));
  }

  /** Returns a device that this class made. */
  private Optional<MappedDevice> own(String name) throws StorageException {
    return mapper.find(name).filter(device -> device.uuid().startsWith(UUID_PREFIX));
  }

  /**
   * Removes the devices; succeeds when they are absent.
   *
   * @throws StorageException BUSY while a program has one of them open
   */
  void remove(Blob blob) throws StorageException {
    for (String name : List.of(upper(blob), middle(blob), lower(blob))) {
      if (own(name).isPresent()) {
        mapper.remove(name);
      }
    }
  }

  /** Returns the name of the device for hosts. */
  static String upper(Blob blob) {
    return BlobNames.upper(blob.group(), blob.name());
  }

  private static String middle(Blob blob) {
    return BlobNames.middle(blob.group(), blob.name());
  }

  private static String lower(Blob blob) {
    return BlobNames.lower(blob.group(), blob.name());
  }
}
