package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.MountTable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The kernel's block devices as sysfs shows them. */
final class BlockDevices {
  private static final Path BLOCK = Path.of("/sys/block");

  private BlockDevices() {}

  /** Returns an attribute of a device such as {@code loop0}, empty when it has none. */
  static Optional<String> attribute(String name, String attribute) {
    try {
      return Optional.of(Files.readString(BLOCK.resolve(name).resolve(attribute)).strip());
    } catch (IOException e) {
      return Optional.empty(); // for sysfs the same as not being there
    }
  }

  /** Returns the names of all devices of a driver, for example {@code nbd}. */
  static List<String> named(String prefix) throws StorageException {
    return entries(BLOCK, prefix + "[0-9]*");
  }

  /**
   * Checks that nobody uses a device.
   *
   * @throws StorageException BUSY with the remedy
   */
  static void requireUnused(String device) throws StorageException {
    List<MountTable.Mount> mounts = MountTable.read().of(device);
    if (!mounts.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          device + " is mounted on " + mounts.get(0).directory() + ": unmount it first");
    }
    Path holders = BLOCK.resolve(name(device)).resolve("holders");
    List<String> above = Files.isDirectory(holders) ? entries(holders, "*") : List.of();
    if (!above.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY, device + " is used by " + String.join(", ", above) + ": remove it first");
    }
  }

  static String name(String device) {
    return device.replaceFirst("^/dev/", "");
  }

  private static List<String> entries(Path folder, String glob) throws StorageException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, glob)) {
      entries.forEach(entry -> names.add(entry.getFileName().toString()));
    } catch (IOException e) {
      throw StorageException.io(folder.toString(), e);
    }
    names.sort(null);
    return names;
  }
}
