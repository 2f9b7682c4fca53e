package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Log of a process that appends to the file itself. A supervisor limits its size: it moves the last
 * part to {@code NAME.log.1} and empties the file. Output between these two steps is lost.
 */
final class LogFile {
  private static final int TAIL = 64 << 10;

  private final Path file;
  private final Path former;

  LogFile(Path file) {
    this.file = file;
    this.former = file.resolveSibling(file.getFileName() + ".1");
  }

  /** Empties the file if it exceeds a limit. */
  void bound(long limit) throws StorageException {
    try {
      if (!Files.exists(file) || Files.size(file) <= limit) {
        return;
      }
      Path next = former.resolveSibling(former.getFileName() + ".new");
      Files.write(next, last(file, (int) Math.min(limit / 2, 16 << 20)));
      Files.move(next, former, StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(0);
      }
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /** Returns the last lines. */
  List<String> tail(int lines) throws StorageException {
    try {
      List<String> found = new ArrayList<>();
      byte[] current = last(file, TAIL);
      if (current.length < TAIL) {
        found.addAll(lines(last(former, TAIL - current.length)));
      }
      found.addAll(lines(current));
      return List.copyOf(found.subList(Math.max(0, found.size() - lines), found.size()));
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /**
   * Splits lines and replaces control characters, which would corrupt a terminal or the JSON that
   * shows the lines.
   */
  private static List<String> lines(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.replaceAll("\\p{Cntrl}", " ").stripTrailing())
        .toList();
  }

  private static byte[] last(Path file, int bytes) throws IOException {
    if (!Files.exists(file)) {
      return new byte[0];
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(bytes, size));
      channel.position(size - buffer.capacity());
      while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
        // until the buffer is full or the file was emptied
      }
      byte[] read = new byte[buffer.position()];
      buffer.flip().get(read);
      return read;
    }
  }
}
