package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Content of a device, found by looking at it. */
final class DeviceContent {
  private static final Duration SHORT = Duration.ofSeconds(60);
  private static final int EDGE = 1 << 20;
  private static final int SECTOR = 512;
  private static final byte[] ZEROES = new byte[SECTOR];
  private static final int BLKID_NOTHING_FOUND = 2;

  private final Host host;

  DeviceContent(Host host) {
    this.host = host;
  }

  /** Returns blkid's findings from probing the device itself; empty when it finds none. */
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

  /**
   * Content that blkid does not know may still be data: each sector of the first and of the last
   * MiB must be zero. A sector of an encrypted device that was never written, or was discarded,
   * reads as noise, because its zeroes are decrypted. The sector of the device below may be zero
   * instead.
   */
  void requireEmpty(String device) throws StorageException {
    long size = host.files().size(Path.of(device));
    List<Long> edges = List.of(0L, Math.max(0, size - EDGE));
    if (isZero(device, edges)) {
      return;
    }
    Optional<LuksDevices.Below> below = new LuksDevices(host).below(device);
    if (below.isEmpty() || !isUnwritten(device, below.get(), edges)) {
      throw new StorageException(
          ErrorCode.INVALID,
          device + " holds data that is not a known filesystem, it is left as it is");
    }
  }

  private boolean isZero(String device, List<Long> edges) throws StorageException {
    for (long offset : edges) {
      byte[] edge = read(device, offset);
      if (!Arrays.equals(edge, new byte[edge.length])) {
        return false;
      }
    }
    return true;
  }

  /** Each device has a separate page cache, which does not see writes to the other. */
  private boolean isUnwritten(String clear, LuksDevices.Below below, List<Long> edges)
      throws StorageException {
    String blockdev = host.require("blockdev", "util-linux");
    for (String device : List.of(clear, below.device())) {
      String unused = host.check(ProgramCall.of(SHORT, List.of(blockdev, "--flushbufs", device)));
    }
    for (long offset : edges) {
      byte[] decrypted = read(clear, offset);
      byte[] stored = read(below.device(), Math.addExact(below.offset(), offset));
      for (int at = 0; at < decrypted.length; at += SECTOR) {
        int end = Math.min(at + SECTOR, decrypted.length);
        if (!isZero(decrypted, at, end) && !(end <= stored.length && isZero(stored, at, end))) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean isZero(byte[] bytes, int from, int to) {
    return Arrays.equals(bytes, from, to, ZEROES, 0, to - from);
  }

  private byte[] read(String device, long offset) throws StorageException {
    return host.files()
        .read(Path.of(device), offset, EDGE)
        .orElseThrow(() -> new StorageException(ErrorCode.NOT_FOUND, device + " does not exist"));
  }

  /**
   * Refuses a device that is not certainly empty.
   *
   * @param otherwise expected content, for the message
   * @throws StorageException INVALID when the device is not blank; IO
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
