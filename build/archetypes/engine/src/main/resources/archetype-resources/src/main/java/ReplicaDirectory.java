package ${package};

import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A replica's folder. It holds the files {@code data} and {@code replica}. The lines of {@code
 * replica} are volume, replica, size, and whether the replica was closed cleanly. {@code replica}
 * is replaced atomically, created last and removed first. A folder without it was left incomplete
 * by a crash.
 */
final class ReplicaDirectory {
  private static final String LABEL = "replica";
  private static final String NEW_LABEL = "replica.new";
  private static final String DATA = "data";
  private static final Set<String> OURS = Set.of(LABEL, NEW_LABEL, DATA);

  private final ReplicaLocation at;

  ReplicaDirectory(ReplicaLocation at) {
    this.at = at;
  }

  ReplicaLocation location() {
    return at;
  }

  void provision(long size) throws StorageException {
    Optional<ReplicaInfo> present = inspect();
    if (present.isPresent() && present.get().sizeBytes() != size) {
      throw new StorageException(
          ErrorCode.INVALID, at.replica() + " has " + present.get().sizeBytes() + " bytes already");
    }
    if (present.isEmpty()) {
      try {
        Files.createDirectories(at.directory());
        Files.deleteIfExists(file(DATA));
        Files.createFile(file(DATA));
        label(size, true);
        sync(at.directory().getParent());
      } catch (IOException e) {
        throw failed("cannot be made", e);
      }
    }
  }

  void delete() throws StorageException {
    inspect();
    try {
      for (String name : List.of(LABEL, NEW_LABEL, DATA, "")) {
        Files.deleteIfExists(file(name));
      }
    } catch (IOException e) {
      throw failed("cannot be removed", e);
    }
  }

  /** Returns what is here; a folder with other content, or of another replica, is refused. */
  Optional<ReplicaInfo> inspect() throws StorageException {
    if (!Files.isDirectory(at.directory())) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(at.directory())) {
      for (Path file : files) {
        if (!OURS.contains(file.getFileName().toString())) {
          throw new StorageException(ErrorCode.INVALID, file + " is not of this engine");
        }
      }
      if (!Files.exists(file(LABEL))) {
        return Optional.empty();
      }
      List<String> lines = Files.readAllLines(file(LABEL));
      if (lines.size() != 4 || !lines.subList(0, 2).equals(List.of(at.volume(), at.replica()))) {
        throw new StorageException(ErrorCode.INVALID, at.directory() + " holds another replica");
      }
      return Optional.of(
          new ReplicaInfo(
              Long.parseLong(lines.get(2)),
              Files.size(file(DATA)),
              Boolean.parseBoolean(lines.get(3))));
    } catch (NumberFormatException e) {
      throw new StorageException(ErrorCode.INVALID, file(LABEL) + " tells no size", e);
    } catch (IOException e) {
      throw failed("cannot be read", e);
    }
  }

  FileChannel data() throws IOException {
    return FileChannel.open(file(DATA), StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /** Says durably whether the replica is closed in order. */
  void label(long size, boolean clean) throws IOException {
    String text = String.join("\n", at.volume(), at.replica(), size + "", clean + "\n");
    try (FileChannel file =
        FileChannel.open(
            file(NEW_LABEL),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
      file.force(true);
    }
    Files.move(file(NEW_LABEL), file(LABEL), StandardCopyOption.ATOMIC_MOVE);
    sync(at.directory());
  }

  private static void sync(Path directory) throws IOException {
    try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
      folder.force(true);
    }
  }

  private Path file(String name) {
    return at.directory().resolve(name);
  }

  StorageException failed(String what, IOException cause) {
    return new StorageException(
        ErrorCode.IO, at.replica() + " " + what + ": " + cause.getMessage(), cause);
  }
}
