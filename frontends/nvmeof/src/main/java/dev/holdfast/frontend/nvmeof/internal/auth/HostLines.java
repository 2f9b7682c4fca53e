package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file with a line for each host, whose first word is the host's NQN, or {@code *} for all
 * others; {@code #} begins a comment. The file is read at each call.
 *
 * @param file path of the file
 */
record HostLines(Path file) {
  private static final String EVERYBODY = "*";

  /** Returns the words of a host's line, its name first, or empty without a line. */
  Optional<String[]> of(String host) throws StorageException {
    Optional<String[]> everybody = Optional.empty();
    try {
      for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
        String[] words = line.strip().split("\\s+");
        if (line.isBlank() || words[0].startsWith("#")) {
          continue;
        }
        if (words[0].equals(host)) {
          return Optional.of(words);
        }
        if (words[0].equals(EVERYBODY)) {
          everybody = Optional.of(words);
        }
      }
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
    return everybody;
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
