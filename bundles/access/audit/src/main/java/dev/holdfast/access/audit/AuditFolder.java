package dev.holdfast.access.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The files of one node's audit log: {@code audit.log}, and the older {@code audit.log.1} to {@code
 * audit.log.9}.
 */
public final class AuditFolder {
  /** Number of files to keep. */
  public static final int FILES = 10;

  private static final String NAME = "audit.log";

  private final Path folder;
  private final ObjectMapper mapper = new ObjectMapper();

  private AuditFolder(Path folder) {
    this.folder = folder;
  }

  /**
   * Returns the files of a node.
   *
   * @param data state directory of the node
   */
  public static AuditFolder ofNode(Path data) {
    return new AuditFolder(data.resolve("audit"));
  }

  /** Returns the folder. */
  public Path path() {
    return folder;
  }

  /**
   * Returns a file.
   *
   * @param age 0 for the current file, up to {@link #FILES} - 1 for the oldest
   */
  public Path file(int age) {
    return folder.resolve(age == 0 ? NAME : NAME + "." + age);
  }

  /**
   * Reads the events that a filter selects, oldest first. Incomplete lines after a crash are
   * ignored. A file that is rotated during the call may be read twice or skipped.
   *
   * @param reader receives each event as JSON
   * @throws StorageException FORBIDDEN if the files belong to another account; IO
   */
  public void read(AuditFilter filter, Consumer<JsonNode> reader) throws StorageException {
    for (int age = FILES - 1; age >= 0; age--) {
      read(file(age), filter, reader);
    }
  }

  private void read(Path file, AuditFilter filter, Consumer<JsonNode> reader)
      throws StorageException {
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode event = parse(line);
        if (event.isObject() && filter.matches(event)) {
          reader.accept(event);
        }
      }
    } catch (NoSuchFileException e) {
      // Fewer files exist so far.
    } catch (AccessDeniedException e) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          file + " can be read by the account of the node only: run the command as that account",
          e);
    } catch (IOException e) {
      throw StorageException.io("read " + file, e);
    }
  }

  private JsonNode parse(String line) {
    try {
      return mapper.readTree(line);
    } catch (JsonProcessingException e) {
      return mapper.missingNode();
    }
  }
}
