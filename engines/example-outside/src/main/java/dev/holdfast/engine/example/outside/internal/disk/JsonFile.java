package dev.holdfast.engine.example.outside.internal.disk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.holdfast.error.ErrorCode;
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

/** A small file that is replaced as a whole, and is durable when a call returns. */
public final class JsonFile {
  private static final String FORMAT = "format";
  private static final int KNOWN = 1;

  // With a type factory of its own, the shared library keeps no class of this bundle.
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private JsonFile() {}

  /** Returns an object to be filled. */
  public static ObjectNode object() {
    return JSON.createObjectNode().put(FORMAT, KNOWN);
  }

  /**
   * Reads a file.
   *
   * @return its content, empty when it is absent
   * @throws StorageException INVALID when it is of another format; IO
   */
  public static Optional<JsonNode> read(Path file) throws StorageException {
    try {
      JsonNode content = JSON.readTree(Files.readAllBytes(file));
      if (content.path(FORMAT).asInt() != KNOWN) {
        throw new StorageException(
            ErrorCode.INVALID,
            file
                + " has format "
                + content.path(FORMAT)
                + ": a later version of the engine reads it");
      }
      return Optional.of(content);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (JsonProcessingException e) {
      throw new StorageException(
          ErrorCode.INVALID, file + " is not JSON: restore it from a backup", e);
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /**
   * Reads what {@link #object} began.
   *
   * @throws StorageException INVALID when it is not JSON
   */
  public static JsonNode parse(byte[] content) throws StorageException {
    try {
      return JSON.readTree(content);
    } catch (IOException e) {
      throw new StorageException(ErrorCode.INVALID, "the state is not JSON", e);
    }
  }

  /** Replaces a file. */
  public static void write(Path file, ObjectNode content) throws StorageException {
    Path next = file.resolveSibling("." + file.getFileName() + ".new");
    try {
      writeNew(next, content);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      sync(file.getParent());
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  static void writeNew(Path file, ObjectNode content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(JSON.writeValueAsBytes(content));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /** Removes a file, if it is there. */
  public static void delete(Path file) throws StorageException {
    try {
      if (Files.deleteIfExists(file)) {
        sync(file.getParent());
      }
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /** Makes a folder's entries, or a file's content, durable. */
  static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
