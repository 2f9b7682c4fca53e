package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.host.ProgramResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The device mapper of a simulated host, by the commands of dmsetup that blobs use. */
final class SimulatedMapper {
  private static final int FIRST_MINOR = 100;

  private final Map<String, Device> devices = new TreeMap<>();
  private final Set<String> held = new TreeSet<>();
  private int minor = FIRST_MINOR;

  /** One device; tables are single lines. */
  private static final class Device {
    private final String uuid;
    private final String number;
    private String live = "";
    private String inactive = "";
    private boolean suspended;
    private boolean open;

    private Device(String uuid, String number) {
      this.uuid = uuid;
      this.number = number;
    }
  }

  List<String> names() {
    return List.copyOf(devices.keySet());
  }

  /** Returns the pools of whose metadata there is a snapshot. */
  Set<String> held() {
    return held;
  }

  boolean isSuspended(String name) {
    return devices.get(name).suspended;
  }

  String table(String name) {
    return devices.get(name).live;
  }

  /** Lets a program open or close a device. */
  void open(String name, boolean open) {
    devices.get(name).open = open;
  }

  void foreign(String name) {
    devices.put(name, new Device("OTHER-" + name, "254:" + minor++));
  }

  /** Forgets all devices, as the end of the host does. */
  void reboot() {
    devices.clear();
  }

  /** Returns whether a device's table points at another one. */
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
      case "remove" -> remove(name);
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
    boolean isOpen = device.open || isUsed(device.number);
    return done(
        String.join(
            "|",
            name,
            device.uuid,
            device.number.replace(":", "|"),
            attributes,
            isOpen ? "1" : "0"));
  }

  private ProgramResult message(String pool, String text) {
    boolean done = text.startsWith("reserve") ? held.add(pool) : held.remove(pool);
    return done
        ? done("")
        : failed("message ioctl on " + pool + " failed: Device or resource busy");
  }

  private ProgramResult create(List<String> words, String table) {
    String name = words.get(2);
    if (devices.containsKey(name)) {
      return failed("create ioctl on " + name + " failed: Device or resource busy");
    }
    Device device = new Device(words.get(4), "254:" + minor++);
    device.live = table;
    devices.put(name, device);
    return done("");
  }

  private ProgramResult remove(String name) {
    Device device = devices.get(name);
    if (device == null) {
      return failed("Device does not exist.");
    }
    if (device.open || isUsed(device.number)) {
      return failed("remove ioctl on " + name + " failed: Device or resource busy");
    }
    devices.remove(name);
    return done("");
  }

  private ProgramResult change(String command, String name, String table) {
    Device device = devices.get(name);
    if (device == null) {
      return failed("Device does not exist.");
    }
    switch (command) {
      case "reload" -> device.inactive = table;
      case "suspend" -> device.suspended = true;
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

  static ProgramResult done(String output) {
    return new ProgramResult(0, output, "", false);
  }

  static ProgramResult failed(String... lines) {
    return new ProgramResult(
        5, "", List.of(lines).stream().collect(Collectors.joining("\n")), false);
  }
}
