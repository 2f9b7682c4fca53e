package dev.holdfast.cluster.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Small JSON documents, one per file, readable by the owner only; durable when written. */
final class JsonFiles {
  private static final String SUFFIX = ".json";

  private final Path directory;
  private final ObjectMapper mapper = new ObjectMapper();

  JsonFiles(Path directory) throws StorageException {
    this.directory = directory;
    try {
      PrivateFiles.createDirectory(directory);
    } catch (IOException e) {
      throw StorageException.io("make " + directory, e);
    }
  }

  ObjectNode document() {
    return mapper.createObjectNode();
  }

  Map<String, JsonNode> all() throws StorageException {
    Map<String, JsonNode> found = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(SUFFIX)) {
          found.put(
              name.substring(0, name.length() - SUFFIX.length()), mapper.readTree(file.toFile()));
        }
      }
    } catch (IOException e) {
      throw StorageException.io("read " + directory, e);
    }
    return found;
  }

  Optional<JsonNode> read(String name) throws StorageException {
    try {
      return Optional.of(mapper.readTree(Files.readAllBytes(file(name))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StorageException.io("read " + file(name), e);
    }
  }

  void write(String name, JsonNode document) throws StorageException {
    try {
      PrivateFiles.write(file(name), mapper.writeValueAsBytes(document));
    } catch (IOException e) {
      throw StorageException.io("write " + file(name), e);
    }
  }

  void delete(String name) throws StorageException {
    try {
      Files.deleteIfExists(file(name));
    } catch (IOException e) {
      throw StorageException.io("remove " + file(name), e);
    }
  }

  private Path file(String name) {
    return directory.resolve(name + SUFFIX);
  }
}
