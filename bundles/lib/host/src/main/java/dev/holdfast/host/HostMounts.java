package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.MountTable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The mounts of a host, read from its kernel at each call. Thread-safe. */
public final class HostMounts {
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
  private static final int LONGEST = 64 << 20;

  private final Host host;

  /** Reads the mounts of a host. */
  public HostMounts(Host host) {
    this.host = host;
  }

  /**
   * Returns all mounts.
   *
   * @throws StorageException IO
   */
  public MountTable table() throws StorageException {
    byte[] text =
        host.files()
            .read(MOUNTS, 0, LONGEST)
            .orElseThrow(() -> new StorageException(ErrorCode.IO, MOUNTS + " is absent"));
    return MountTable.parse(new String(text, StandardCharsets.UTF_8));
  }

  /**
   * Returns the topmost mount at a path.
   *
   * @throws StorageException IO
   */
  public Optional<MountTable.Mount> at(Path path) throws StorageException {
    return table().at(path);
  }

  /**
   * Returns all mounts of a block device.
   *
   * @param device such as {@code /dev/loop0}
   * @throws StorageException IO
   */
  public List<MountTable.Mount> of(String device) throws StorageException {
    // Only the name of a removed device can be compared.
    Optional<String> number = host.files().deviceNumber(Path.of(device));
    return table().mounts().stream()
        .filter(
            mount ->
                number.isPresent()
                    ? mount.deviceNumber().equals(number.get())
                    : mount.source().equals(device))
        .toList();
  }
}
