package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Which hosts must show that they know a secret. The file has a line for each host:
 *
 * <pre>
 *   # host (or * for all others)        host's secret       [controller's secret]
 *   nqn.2014-08.org.nvmexpress:uuid:…   DHHC-1:00:…:        DHHC-1:00:…:
 * </pre>
 *
 * It is read at every Connect and at every authentication, so that a change holds from the next one
 * on. With a file, a host that has no line is refused; without one, nobody is asked.
 */
public final class HostSecrets {
  private static final String EVERYBODY = "*";

  private final Optional<Path> file;

  /** Reads the file, if one was set. */
  public HostSecrets(Optional<Path> file) {
    this.file = file;
  }

  /**
   * The secrets between one host and the controllers.
   *
   * @param host the host's
   * @param controller the controllers', when the host may ask for a proof of it
   */
  record Pair(Secret host, Optional<Secret> controller) {}

  /** Returns whether a host must say who it is. */
  public boolean required() {
    return file.isPresent();
  }

  /**
   * Returns whether there is a secret for a host.
   *
   * @param host its NQN, not null
   * @throws StorageException IO when the file cannot be read, INVALID when it is not as it should
   */
  public boolean has(String host) throws StorageException {
    return of(host).isPresent();
  }

  Optional<Pair> of(String host) throws StorageException {
    Optional<Pair> everybody = Optional.empty();
    for (String line : lines()) {
      String[] words = line.strip().split("\\s+");
      if (line.isBlank() || words[0].startsWith("#")) {
        continue;
      }
      if (words[0].equals(host)) {
        return Optional.of(pair(words));
      }
      if (words[0].equals(EVERYBODY)) {
        everybody = Optional.of(pair(words));
      }
    }
    return everybody;
  }

  private Pair pair(String[] words) throws StorageException {
    try {
      if (words.length != 2 && words.length != 3) {
        throw new IllegalArgumentException("a line has one secret or two");
      }
      return new Pair(
          Secret.of(words[1]),
          words.length == 2 ? Optional.empty() : Optional.of(Secret.of(words[2])));
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, file.orElseThrow() + ", " + words[0] + ": " + e.getMessage(), e);
    }
  }

  private List<String> lines() throws StorageException {
    if (file.isEmpty()) {
      return List.of();
    }
    try {
      return Files.readAllLines(file.get(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw StorageException.io(file.get().toString(), e);
    }
  }
}
