package dev.holdfast.processes;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The folder of a supervisor: {@code NAME.json} and {@code NAME.log} of each process. Records are
 * replaced atomically and are durable when a call returns. Thread-safe for different names.
 */
class ProcessRecords {
  private static final String SUFFIX = ".json";
  private static final JsonMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final Path folder;

  /** Creates the records of an existing folder. */
  ProcessRecords(Path folder) {
    this.folder = folder;
  }

  Path log(String name) {
    return folder.resolve(name + ".log");
  }

  /**
   * Returns the record of a process, empty if it does not exist.
   *
   * @throws StorageException IO when the record cannot be read
   */
  Optional<ProcessRecord> read(String name) throws StorageException {
    Path file = folder.resolve(name + SUFFIX);
    try {
      return Optional.of(MAPPER.readValue(Files.readString(file), ProcessRecord.class));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (JacksonException e) {
      throw new StorageException(
          ErrorCode.IO,
          "process " + name + ": its record is damaged: end the process by hand and delete " + file,
          e);
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  void write(ProcessRecord record) throws StorageException {
    Path file = folder.resolve(record.name() + SUFFIX);
    Path next = folder.resolve("." + record.name() + ".new");
    try {
      try (FileChannel channel =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(MAPPER.writeValueAsBytes(record));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      force();
    } catch (IOException e) {
      throw StorageException.io("process " + record.name() + ": could not write " + file, e);
    }
  }

  void delete(String name) throws StorageException {
    Path file = folder.resolve(name + SUFFIX);
    try {
      if (Files.deleteIfExists(file)) {
        force();
      }
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /** Returns the names of the processes that have a record, sorted. */
  List<String> names() throws StorageException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        names.add(name.substring(0, name.length() - SUFFIX.length()));
      }
    } catch (IOException e) {
      throw StorageException.io(folder.toString(), e);
    }
    names.sort(null);
    return names;
  }

  private void force() throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
