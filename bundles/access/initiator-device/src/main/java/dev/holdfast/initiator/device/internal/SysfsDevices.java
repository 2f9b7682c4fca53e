package dev.holdfast.initiator.device.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** The block devices of this host from sysfs. */
final class SysfsDevices implements Devices {
  static final SysfsDevices INSTANCE = new SysfsDevices();

  private static final Path BLOCK = Path.of("/sys/class/block");
  private static final long SECTOR = 512;

  private SysfsDevices() {}

  @Override
  public Optional<Path> resolve(Path path) throws StorageException {
    try {
      Path device = path.toRealPath();
      boolean block =
          device.startsWith("/dev") && Files.exists(BLOCK.resolve(device.getFileName()));
      return block ? Optional.of(device) : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StorageException.io(path.toString(), e);
    }
  }

  @Override
  public void requireUnused(Path device) throws StorageException {
    BlockDevices.requireUnused(device.toString());
  }

  @Override
  public long bytes(Path device) {
    return BlockDevices.attribute(BLOCK.resolve(device.getFileName()).resolve("size"))
        .map(sectors -> Long.parseLong(sectors) * SECTOR)
        .orElse(0L);
  }
}
