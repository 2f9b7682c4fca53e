package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The device mapper of a host, by dmsetup(8). A device has a live table, which serves requests, and
 * may have an inactive one:
 *
 * <pre>
 *   create ──► live ──reload──► live + inactive ──suspend──► requests wait ──resume──► the other live
 * </pre>
 *
 * A suspended device stays suspended until it is resumed, also after the caller's process has
 * ended. All calls throw UNSUPPORTED when dmsetup or the kernel's part is missing, and TIMEOUT when
 * a device below does not answer. Thread-safe for different devices.
 */
public final class DeviceMapper {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String COLUMNS = "name,uuid,major,minor,attr,open";

  /** Creates the nodes in /dev/mapper even without udev. */
  private static final String NODES = "--verifyudev";

  private static final String TAKEN = "Device or resource busy";
  private static final int FIELDS = 6;
  private static final int LIVE = 0;
  private static final int INACTIVE = 1;
  private static final int SUSPENDED = 2;

  private final Host host;

  /** Creates access to the devices of a host. */
  public DeviceMapper(Host host) {
    this.host = host;
  }

  /**
   * Parameters of suspending a device.
   *
   * @param flush whether accepted requests first reach the device below; if not, they wait too,
   *     which only some targets support
   * @param freeze whether a filesystem on the device is frozen first
   */
  public record Suspension(boolean flush, boolean freeze) {
    /** Requests below are completed, filesystems frozen. */
    public static final Suspension ORDERLY = new Suspension(true, true);

    /** All requests wait; the filesystem is not frozen and nothing is flushed. */
    public static final Suspension AT_ONCE = new Suspension(false, false);
  }

  /**
   * Returns the state of a device, empty when it does not exist.
   *
   * @throws StorageException IO
   */
  public Optional<MappedDevice> find(String name) throws StorageException {
    ProgramResult result =
        dmsetup("", "info", "--columns", "--noheadings", "--separator", "|", "-o", COLUMNS, name);
    if (isAbsent(result)) {
      return Optional.empty();
    }
    require(result, name);
    return Optional.of(device(result.output()));
  }

  /**
   * Returns all devices, in the order of dmsetup.
   *
   * @throws StorageException IO
   */
  public List<MappedDevice> list() throws StorageException {
    ProgramResult result =
        dmsetup("", "info", "--columns", "--noheadings", "--separator", "|", "-o", COLUMNS);
    require(result, "device mapper");
    return result
        .output()
        .lines()
        .filter(line -> line.contains("|"))
        .map(DeviceMapper::device)
        .toList();
  }

  private static MappedDevice device(String line) {
    String[] fields = line.strip().split("\\|", -1);
    if (fields.length != FIELDS) {
      throw new IllegalStateException("dmsetup answered \"" + line + "\"");
    }
    String attributes = fields[4];
    return new MappedDevice(
        fields[0],
        fields[1],
        fields[2] + ":" + fields[3],
        attributes.charAt(SUSPENDED) == 's',
        attributes.charAt(LIVE) == 'L',
        attributes.charAt(INACTIVE) == 'I',
        Integer.parseInt(fields[5]));
  }

  /**
   * Creates a device with a live table.
   *
   * @param uuid second identifier beside its name, empty for none
   * @throws StorageException ALREADY_EXISTS when the name or the uuid is taken; INVALID when the
   *     kernel refuses the table; BUSY when a device below is in use; IO
   */
  public void create(String name, String uuid, List<MapperTarget> table) throws StorageException {
    List<String> command = new ArrayList<>(List.of("create", NODES, name));
    if (!uuid.isEmpty()) {
      command.addAll(List.of("--uuid", uuid));
    }
    ProgramResult result = dmsetup(text(table), command.toArray(String[]::new));
    if (result.all().contains("create ioctl") && result.all().contains(TAKEN)) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS, "device " + name + " exists already: " + result.lastLines());
    }
    requireTable(result, name);
  }

  /**
   * Loads an inactive table into a device, which the next {@link #resume} makes live. Replaces an
   * earlier inactive table.
   *
   * @throws StorageException NOT_FOUND; INVALID when the kernel refuses the table; BUSY when a
   *     device below is in use; IO
   */
  public void reload(String name, List<MapperTarget> table) throws StorageException {
    requireTable(dmsetup(text(table), "reload", name), name);
  }

  /**
   * Makes the requests of a device wait. Idempotent.
   *
   * @throws StorageException NOT_FOUND; IO
   */
  public void suspend(String name, Suspension how) throws StorageException {
    List<String> command = new ArrayList<>(List.of("suspend"));
    if (!how.flush()) {
      command.add("--noflush");
    }
    if (!how.freeze()) {
      command.add("--nolockfs");
    }
    command.add(name);
    require(dmsetup("", command.toArray(String[]::new)), name);
  }

  /**
   * Makes an inactive table live, and lets requests pass. Idempotent.
   *
   * @throws StorageException NOT_FOUND; IO
   */
  public void resume(String name) throws StorageException {
    require(dmsetup("", "resume", NODES, name), name);
  }

  /**
   * Removes a device; succeeds when it is absent.
   *
   * @throws StorageException BUSY when it is in use; IO
   */
  public void remove(String name) throws StorageException {
    ProgramResult result = dmsetup("", "remove", NODES, name);
    if (isAbsent(result)) {
      return;
    }
    if (result.all().contains(TAKEN)) {
      throw new StorageException(
          ErrorCode.BUSY,
          "device " + name + " is in use; 'dmsetup info " + name + "' shows by how many");
    }
    require(result, name);
  }

  /**
   * Returns the live table.
   *
   * @throws StorageException NOT_FOUND; IO
   */
  public List<MapperTarget> table(String name) throws StorageException {
    return targets(dmsetup("", "table", name), name);
  }

  /**
   * Returns the status of the live table's targets. Does not wait for requests in flight.
   *
   * @throws StorageException NOT_FOUND; IO
   */
  public List<MapperTarget> status(String name) throws StorageException {
    return targets(dmsetup("", "status", "--noflush", name), name);
  }

  private static List<MapperTarget> targets(ProgramResult result, String name)
      throws StorageException {
    require(result, name);
    return result.output().lines().map(MapperTarget::parse).toList();
  }

  private static String text(List<MapperTarget> table) {
    return table.stream().map(target -> target + "\n").collect(Collectors.joining());
  }

  private ProgramResult dmsetup(String input, String... arguments) throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(host.require("dmsetup", "dmsetup"));
    command.addAll(List.of(arguments));
    return host.run(ProgramCall.of(TIMEOUT, command).withInput(input));
  }

  private static boolean isAbsent(ProgramResult result) {
    return result.exitCode() != 0
        && (result.all().contains("Device does not exist")
            || result.all().contains("No such device or address"));
  }

  private static void requireTable(ProgramResult result, String name) throws StorageException {
    String told = result.all();
    if (result.exitCode() != 0
        && (told.contains("Invalid argument")
            || told.contains("No such device\n") // a device below
            || told.contains("No such file or directory"))) {
      throw new StorageException(
          ErrorCode.INVALID, "device " + name + ": refused table: " + result.lastLines());
    }
    if (result.exitCode() != 0 && told.contains(TAKEN)) {
      throw new StorageException(
          ErrorCode.BUSY,
          "device " + name + ": a device below it is in use: " + result.lastLines());
    }
    require(result, name);
  }

  private static void require(ProgramResult result, String name) throws StorageException {
    if (result.exitCode() == 0) {
      return;
    }
    if (isAbsent(result)) {
      throw new StorageException(ErrorCode.NOT_FOUND, "device " + name + " does not exist");
    }
    boolean unsupported = result.all().contains("kernel driver");
    throw new StorageException(
        unsupported ? ErrorCode.UNSUPPORTED : ErrorCode.IO,
        unsupported
            ? "this host's kernel has no device mapper: modprobe dm-mod"
            : "device " + name + ": dmsetup: " + result.lastLines());
  }
}
