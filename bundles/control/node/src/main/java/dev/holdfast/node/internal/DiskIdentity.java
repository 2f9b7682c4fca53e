package dev.holdfast.node.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identifier stored on a disk, in the file that Longhorn uses. It detects a moved or unmounted
 * disk, and identifies disks of Longhorn.
 */
final class DiskIdentity {
  private static final String FILE = "longhorn-disk.cfg";
  private static final Pattern UUID_FIELD =
      Pattern.compile("\"diskUUID\"\\s*:\\s*\"([0-9A-Za-z-]{1,64})\"");
  private static final int LARGEST_FILE = 64 * 1024;

  private DiskIdentity() {}

  /** Returns the identifier, empty if the disk has none. */
  static Optional<String> read(Path disk) throws IOException {
    Path file = disk.resolve(FILE);
    try {
      if (Files.size(file) > LARGEST_FILE) {
        throw new IOException(file + " is too large to be a disk's identifier");
      }
      Matcher field = UUID_FIELD.matcher(Files.readString(file));
      if (!field.find()) {
        throw new IOException(file + " holds no diskUUID");
      }
      return Optional.of(field.group(1));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /**
   * Makes the filesystem write the file's present time again, which needs no space and leaves no
   * trace.
   */
  static void touch(Path disk) throws IOException {
    Path file = disk.resolve(FILE);
    Files.setLastModifiedTime(file, Files.getLastModifiedTime(file));
  }

  /** Returns the identifier; creates a missing one, which is durable when this method returns. */
  static String readOrCreate(Path disk) throws IOException {
    Optional<String> present = read(disk);
    if (present.isPresent()) {
      return present.get();
    }
    String uuid = UUID.randomUUID().toString();
    Path written = disk.resolve(FILE + ".tmp");
    try (FileChannel channel =
        FileChannel.open(
            written,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer json =
          ByteBuffer.wrap(("{\"diskUUID\":\"" + uuid + "\"}").getBytes(StandardCharsets.UTF_8));
      while (json.hasRemaining()) {
        channel.write(json);
      }
      channel.force(true);
    }
    Files.move(written, disk.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel directory = FileChannel.open(disk, StandardOpenOption.READ)) {
      directory.force(true);
    }
    return uuid;
  }
}
