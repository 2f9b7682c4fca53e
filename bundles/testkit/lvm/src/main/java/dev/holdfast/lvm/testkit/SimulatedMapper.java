package dev.holdfast.lvm.testkit;

import dev.holdfast.host.ProgramResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The device mapper of a simulated host, with the dmsetup commands that blobs use. Guarded by the
 * monitor of the host.
 */
public final class SimulatedMapper {
  private static final int FIRST_MINOR = 100;

  private final Map<String, Device> devices = new TreeMap<>();
  private final Set<String> held = new TreeSet<>();
  private final Predicate<String> lostLink;
  private int minor = FIRST_MINOR;

  /**
   * Creates a mapper without devices.
   *
   * @param lostLink decides whether the device with a number waits for a connection
   */
  SimulatedMapper(Predicate<String> lostLink) {
    this.lostLink = lostLink;
  }

  /** One device; tables are single lines. */
  static final class Device {
    private final String uuid;
    private final String number;
    private String live = "";
    private String inactive = "";
    private boolean suspended;
    private boolean deferred;
    int opened;

    private Device(String uuid, String number) {
      this.uuid = uuid;
      this.number = number;
    }

    long sectors() {
      return Long.parseLong(live.split(" ", -1)[1]);
    }

    boolean isSuspended() {
      return suspended;
    }

    /** Returns the number of the device in its table, empty if its requests fail. */
    Optional<String> below() {
      String[] words = live.split(" ", -1);
      return words[2].equals("linear") ? Optional.of(words[3]) : Optional.empty();
    }
  }

  /** Returns the names of all devices. */
  public List<String> names() {
    return List.copyOf(devices.keySet());
  }

  /** Returns the pools with a snapshot of their metadata. */
  public Set<String> held() {
    return held;
  }

  /** Returns whether a device is suspended. */
  public boolean isSuspended(String name) {
    return devices.get(name).suspended;
  }

  /** Returns the live table of a device. */
  public String table(String name) {
    return devices.get(name).live;
  }

  /** Simulates that a program opens or closes a device. */
  public void open(String name, boolean open) {
    devices.get(name).opened += open ? 1 : -1;
  }

  /** Creates a device of another program. */
  public void foreign(String name) {
    devices.put(name, new Device("OTHER-" + name, "254:" + minor++));
  }

  /** Removes all devices, like the end of the host. */
  void reboot() {
    devices.clear();
    held.clear();
  }

  Optional<Device> find(String name) {
    return Optional.ofNullable(devices.get(name));
  }

  Optional<Device> numbered(String number) {
    return devices.values().stream().filter(device -> device.number.equals(number)).findFirst();
  }

  /** Removes a device after its last user has closed it. */
  void closed(Device device) {
    if (device.deferred && !isOpen(device)) {
      devices.values().remove(device);
    }
  }

  private boolean isOpen(Device device) {
    return device.opened > 0 || isUsed(device.number);
  }

  /** Returns whether a device's table references another device. */
  boolean isUsed(String number) {
    return devices.values().stream()
        .anyMatch(
            device -> (device.live + "\n" + device.inactive).contains(" linear " + number + " "));
  }

  ProgramResult run(List<String> arguments, String input) {
    List<String> words = new ArrayList<>(arguments);
    String name = words.get(words.size() - 1);
    return switch (words.get(0)) {
      case "info" -> info(name);
      case "create" -> create(words, input.strip());
      case "remove" -> remove(name, words.contains("--deferred"));
      case "rename" -> rename(words.get(words.size() - 2), name);
      case "status" ->
          done("0 8 thin-pool 1 9/99 9/99 " + (held.contains(name) ? "7" : "-") + " rw - - 1");
      case "message" -> message(words.get(1), name);
      default -> change(words.get(0), name, input.strip());
    };
  }

  private ProgramResult info(String name) {
    Device device = devices.get(name);
    if (device == null) {
      return failed("Device does not exist.");
    }
    String attributes =
        (device.live.isEmpty() ? "-" : "L")
            + (device.inactive.isEmpty() ? "-" : "I")
            + (device.suspended ? "s" : "-")
            + "w";
    return done(
        String.join(
            "|",
            name,
            device.uuid,
            device.number.replace(":", "|"),
            attributes,
            isOpen(device) ? "1" : "0"));
  }

  private ProgramResult message(String pool, String text) {
    boolean done = text.startsWith("reserve") ? held.add(pool) : held.remove(pool);
    return done
        ? done("")
        : failed("message ioctl on " + pool + " failed: Device or resource busy");
  }

  private ProgramResult create(List<String> words, String table) {
    String name = words.get(2);
    String uuid = words.get(4);
    boolean taken = devices.values().stream().anyMatch(device -> device.uuid.equals(uuid));
    if (taken || devices.containsKey(name)) {
      return failed("create ioctl on " + name + " failed: Device or resource busy");
    }
    Device device = new Device(uuid, "254:" + minor++);
    device.live = table;
    devices.put(name, device);
    return done("");
  }

  private ProgramResult remove(String name, boolean deferred) {
    Device device = devices.get(name);
    if (device == null) {
      return failed("Device does not exist.");
    }
    if (!isOpen(device)) {
      devices.remove(name);
      return done("");
    }
    device.deferred |= deferred;
    return deferred
        ? done("")
        : failed("remove ioctl on " + name + " failed: Device or resource busy");
  }

  private ProgramResult rename(String name, String next) {
    if (!devices.containsKey(name) || devices.containsKey(next)) {
      return failed("rename ioctl on " + name + " failed: No such device or address");
    }
    devices.put(next, devices.remove(name));
    return done("");
  }

  private ProgramResult change(String command, String name, String table) {
    Device device = devices.get(name);
    if (device == null) {
      return failed("Device does not exist.");
    }
    switch (command) {
      case "reload" -> device.inactive = table;
      case "suspend" -> {
        if (isAboveWaitingRequests(device)) {
          return failed("suspend ioctl on " + name + " failed: Interrupted system call");
        }
        device.suspended = true;
      }
      case "resume" -> {
        if (!device.inactive.isEmpty()) {
          device.live = device.inactive;
          device.inactive = "";
        }
        device.suspended = false;
      }
      case "table" -> {
        return done(device.live);
      }
      default -> throw new IllegalArgumentException("dmsetup " + command);
    }
    return done("");
  }

  /**
   * Returns whether a device is above a lost connection or a suspended device. Its requests in
   * flight do not end, and a suspension waits for them.
   */
  private boolean isAboveWaitingRequests(Device device) {
    Optional<String> below = device.suspended ? Optional.empty() : device.below();
    if (below.isEmpty()) {
      return false;
    }
    return lostLink.test(below.get())
        || numbered(below.get())
            .filter(next -> next.suspended || isAboveWaitingRequests(next))
            .isPresent();
  }

  static ProgramResult done(String output) {
    return new ProgramResult(0, output, "", false);
  }

  static ProgramResult failed(String... lines) {
    return new ProgramResult(
        5, "", List.of(lines).stream().collect(Collectors.joining("\n")), false);
  }
}
