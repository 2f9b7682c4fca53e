package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.InitiatorPath;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A controller of the kernel's NVMe host: one path to a subsystem.
 *
 * @param folder of the controller in sysfs
 * @param address of the target
 * @param port of the target
 */
record NvmePath(Path folder, String address, String port) {

  /** Reads the path of a controller; attributes that the kernel does not report are empty. */
  static NvmePath of(Path controller) {
    Map<String, String> words = new HashMap<>();
    for (String word :
        BlockDevices.attribute(controller.resolve("address")).orElse("").split(",", -1)) {
      String[] pair = word.split("=", 2);
      words.put(pair[0], pair.length > 1 ? pair[1] : "");
    }
    return new NvmePath(
        controller, words.getOrDefault("traddr", ""), words.getOrDefault("trsvcid", ""));
  }

  /** Returns whether the path leads to a target. */
  boolean leadsTo(Target target) throws StorageException {
    return address.equals(target.address()) && port.equals(Integer.toString(target.port()));
  }

  /** Returns whether the path can carry requests. */
  boolean live() {
    return state().equals("live");
  }

  private String state() {
    return BlockDevices.attribute(folder.resolve("state")).orElse("");
  }

  /** Returns the description for users. */
  InitiatorPath described() throws StorageException {
    String host = address.contains(":") ? "[" + address + "]" : address;
    return new InitiatorPath(host + ":" + port, state(), access());
  }

  /**
   * Returns whether the kernel has found a namespace on the path, so that the device can use it.
   */
  boolean leadsToDevice() throws StorageException {
    return !BlockDevices.entries(folder, "nvme*n*").isEmpty();
  }

  // The kernel gives each path a hidden device, for example nvme0c1n1 of controller nvme1.
  private String access() throws StorageException {
    for (String hidden : BlockDevices.entries(folder, "nvme*c*n*")) {
      String access =
          BlockDevices.attribute(folder.resolve(hidden).resolve("ana_state")).orElse("");
      if (!access.isEmpty()) {
        return access;
      }
    }
    return "";
  }
}
