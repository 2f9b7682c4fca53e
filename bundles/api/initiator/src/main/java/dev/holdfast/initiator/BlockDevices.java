package dev.holdfast.initiator;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The kernel's block devices as sysfs shows them. Thread-safe. */
public final class BlockDevices {
  private static final Path BLOCK = Path.of("/sys/block");

  private BlockDevices() {}

  /**
   * Returns an attribute of a device, empty if it does not exist.
   *
   * @param name of the device, such as {@code loop0}
   * @param attribute path of the attribute below the device, such as {@code loop/backing_file}
   */
  public static Optional<String> attribute(String name, String attribute) {
    return attribute(BLOCK.resolve(name).resolve(attribute));
  }

  /** Returns the value of an attribute anywhere in sysfs, empty if it does not exist. */
  public static Optional<String> attribute(Path attribute) {
    try {
      return Optional.of(Files.readString(attribute).strip());
    } catch (IOException e) {
      return Optional.empty(); // sysfs reports an unreadable attribute like an absent one
    }
  }

  /**
   * Returns the names of all devices of a driver, sorted.
   *
   * @param prefix of their names, for example {@code nbd}
   * @throws StorageException IO
   */
  public static List<String> named(String prefix) throws StorageException {
    return entries(BLOCK, prefix + "[0-9]*");
  }

  /**
   * Rejects a device that is mounted or used by another device.
   *
   * @param device path of the device, such as {@code /dev/loop0}
   * @throws StorageException BUSY with the remedy; IO
   */
  public static void requireUnused(String device) throws StorageException {
    List<MountTable.Mount> mounts = MountTable.read().of(device);
    if (!mounts.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          device + " is mounted on " + mounts.get(0).directory() + ": unmount it first");
    }
    List<String> above = entries(BLOCK.resolve(name(device)).resolve("holders"), "*");
    if (!above.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY, device + " is used by " + String.join(", ", above) + ": remove it first");
    }
  }

  /** Returns the name of a device: {@code loop0} of {@code /dev/loop0}. */
  public static String name(String device) {
    return device.replaceFirst("^/dev/", "");
  }

  /**
   * Returns the matching names in a folder of sysfs, sorted; empty if the folder does not exist.
   *
   * @throws StorageException IO
   */
  public static List<String> entries(Path folder, String glob) throws StorageException {
    List<String> names = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return names;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, glob)) {
      entries.forEach(entry -> names.add(entry.getFileName().toString()));
    } catch (IOException e) {
      throw StorageException.io(folder.toString(), e);
    }
    names.sort(null);
    return names;
  }
}
