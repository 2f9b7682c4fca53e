package dev.holdfast.mounts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * Writes the data of a sparse file without its holes. Writes zeroes that are data, because they
 * hide lower layers.
 */
final class LayerCopy {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CHUNK = 256 << 10;

  private final String program;

  /**
   * Finds the program that lists the extents of a file.
   *
   * @throws StorageException UNSUPPORTED without {@code qemu-img}
   */
  LayerCopy() throws StorageException {
    program = HostProgram.require("qemu-img", "qemu-utils").toString();
  }

  /** Copies a file durably. */
  void run(Path file, NbdWriter target) throws StorageException {
    String map =
        HostProgram.check(
            LIMIT, List.of(program, "map", "-f", "raw", "--output=json", file.toString()));
    try (FileChannel source = FileChannel.open(file, StandardOpenOption.READ)) {
      for (JsonNode extent : JSON.readTree(map)) {
        if (extent.path("data").asBoolean() && !extent.path("zero").asBoolean()) {
          long start = extent.path("start").asLong();
          copy(source, start, start + extent.path("length").asLong(), target);
        }
      }
      target.flush();
    } catch (EOFException e) {
      throw new StorageException(ErrorCode.IO, file + ": became shorter: import it again", e);
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  private static void copy(FileChannel source, long start, long end, NbdWriter target)
      throws IOException, StorageException {
    for (long offset = start; offset < end; offset += CHUNK) {
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(CHUNK, end - offset));
      while (bytes.hasRemaining()) {
        if (source.read(bytes, offset + bytes.position()) < 0) {
          throw new EOFException();
        }
      }
      target.write(offset, bytes.flip());
    }
  }
}
