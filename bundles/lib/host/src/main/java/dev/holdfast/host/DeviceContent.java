package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Content of a device, found by looking at it. */
final class DeviceContent {
  private static final Duration SHORT = Duration.ofSeconds(60);
  private static final int EDGE = 1 << 20;
  private static final int BLKID_NOTHING_FOUND = 2;

  private DeviceContent() {}

  /** Returns what blkid finds by looking at the device itself; empty when nothing is known. */
  static Map<String, String> signs(String device) throws StorageException {
    String blkid = HostProgram.require("blkid", "util-linux").toString();
    HostProgram.Result result =
        HostProgram.run(SHORT, List.of(blkid, "--probe", "--output", "export", device));
    if (result.exitCode() == BLKID_NOTHING_FOUND && result.output().isEmpty()) {
      return Map.of();
    }
    if (result.exitCode() != 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          device + ": it is not clear what it holds, it is left as it is: " + result.output());
    }
    return result
        .output()
        .lines()
        .map(line -> line.split("=", 2))
        .filter(pair -> pair.length == 2)
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (first, second) -> first));
  }

  /** Nothing that blkid knows is not nothing: the first and the last MiB must be all zeroes. */
  static void requireEmpty(String device) throws StorageException {
    try (FileChannel channel = FileChannel.open(Path.of(device))) {
      long size = channel.size();
      if (!isZero(channel, 0) || !isZero(channel, Math.max(0, size - EDGE))) {
        throw new StorageException(
            ErrorCode.INVALID,
            device
                + " holds data that is not a known filesystem, it is left as it is;"
                + " if it may go: blkdiscard -z "
                + device);
      }
    } catch (IOException e) {
      throw StorageException.io(device, e);
    }
  }

  private static boolean isZero(FileChannel channel, long offset) throws IOException {
    ByteBuffer edge = ByteBuffer.allocate(EDGE);
    int read = channel.read(edge, offset);
    while (read > 0 && edge.hasRemaining()) {
      read = channel.read(edge, offset + edge.position());
    }
    edge.flip();
    return edge.equals(ByteBuffer.allocate(edge.remaining()));
  }

  /**
   * Refuses a device that is not certainly empty.
   *
   * @param otherwise what it is not, for the message
   * @throws StorageException INVALID when there is anything on it; IO
   */
  static void requireBlank(String device, String otherwise) throws StorageException {
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
