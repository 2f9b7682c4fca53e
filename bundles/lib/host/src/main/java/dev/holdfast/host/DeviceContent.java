package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Content of a device, found by looking at it. */
final class DeviceContent {
  private static final Duration SHORT = Duration.ofSeconds(60);
  private static final int EDGE = 1 << 20;
  private static final int BLKID_NOTHING_FOUND = 2;

  private final Host host;

  DeviceContent(Host host) {
    this.host = host;
  }

  /** Returns what blkid finds by looking at the device itself; empty when nothing is known. */
  Map<String, String> signs(String device) throws StorageException {
    String blkid = host.require("blkid", "util-linux");
    ProgramResult result =
        host.run(ProgramCall.of(SHORT, List.of(blkid, "--probe", "--output", "export", device)));
    if (result.exitCode() == BLKID_NOTHING_FOUND && result.all().isEmpty()) {
      return Map.of();
    }
    if (result.exitCode() != 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          device + ": it is not clear what it holds, it is left as it is: " + result.all());
    }
    return result
        .output()
        .lines()
        .map(line -> line.split("=", 2))
        .filter(pair -> pair.length == 2)
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (first, second) -> first));
  }

  /** Nothing that blkid knows is not nothing: the first and the last MiB must be all zeroes. */
  void requireEmpty(String device) throws StorageException {
    long size = host.files().size(Path.of(device));
    if (!isZero(device, 0) || !isZero(device, Math.max(0, size - EDGE))) {
      throw new StorageException(
          ErrorCode.INVALID,
          device
              + " holds data that is not a known filesystem, it is left as it is;"
              + " if it may go: blkdiscard -z "
              + device);
    }
  }

  private boolean isZero(String device, long offset) throws StorageException {
    byte[] edge =
        host.files()
            .read(Path.of(device), offset, EDGE)
            .orElseThrow(
                () -> new StorageException(ErrorCode.NOT_FOUND, device + " does not exist"));
    return Arrays.equals(edge, new byte[edge.length]);
  }

  /**
   * Refuses a device that is not certainly empty.
   *
   * @param otherwise what it is not, for the message
   * @throws StorageException INVALID when there is anything on it; IO
   */
  void requireBlank(String device, String otherwise) throws StorageException {
    Map<String, String> signs = signs(device);
    if (!signs.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          device
              + " holds "
              + signs.getOrDefault("TYPE", "a partition table")
              + " and "
              + otherwise
              + "; it is left as it is");
    }
    requireEmpty(device);
  }
}
