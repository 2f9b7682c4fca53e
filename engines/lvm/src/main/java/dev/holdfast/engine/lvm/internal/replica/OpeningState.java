package dev.holdfast.engine.lvm.internal.replica;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The last opening of a replica on this node, in a file of the node.
 *
 * @param generation in which the volume was opened
 * @param session number of the opening in its generation
 * @param clean whether it was closed in order
 * @param export name of the export that serves hosts, empty for none
 */
public record OpeningState(long generation, long session, boolean clean, String export) {
  /** State of a replica that was never opened here. */
  public static final OpeningState NONE = new OpeningState(0, 0, true, "");

  /** Returns the same opening, closed in order or not. */
  public OpeningState closed(boolean inOrder) {
    return new OpeningState(generation, session, inOrder, export);
  }

  /** Returns the same opening with an export, empty for none. */
  public OpeningState exporting(String name) {
    return new OpeningState(generation, session, clean, name);
  }

  /**
   * Reads a file.
   *
   * @return {@link #NONE} when it is absent
   * @throws StorageException INVALID when it cannot be read; IO
   */
  public static OpeningState read(Path file) throws StorageException {
    try {
      JsonNode object = ReplicaFormat.parse(file.toString(), Files.readAllBytes(file));
      return new OpeningState(
          object.path("generation").asLong(),
          object.path("session").asLong(),
          object.path("clean").asBoolean(),
          object.path("export").asText());
    } catch (NoSuchFileException e) {
      return NONE;
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /**
   * Replaces a file; durable when this returns.
   *
   * @throws StorageException IO
   */
  public void write(Path file) throws StorageException {
    ObjectNode object =
        ReplicaFormat.object()
            .put("generation", generation)
            .put("session", session)
            .put("clean", clean)
            .put("export", export);
    Path next = file.resolveSibling(file.getFileName() + ".new");
    try {
      try (FileChannel channel =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(ReplicaFormat.bytes(object));
        while (bytes.hasRemaining()) {
          int unused = channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      sync(file.getParent());
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /**
   * Removes a file; succeeds when it is absent.
   *
   * @throws StorageException IO
   */
  public static void delete(Path file) throws StorageException {
    try {
      if (Files.deleteIfExists(file)) {
        sync(file.getParent());
      }
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  private static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Returns the name of its export, when it has one and was not closed. */
  public Optional<String> serving() {
    return clean || export.isEmpty() ? Optional.empty() : Optional.of(export);
  }
}
