package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
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
 * on. With a file, a host without a line is refused; without a file, no host is asked.
 */
public final class HostSecrets {
  private final Optional<HostLines> file;

  /** Reads the file, if one was set. */
  public HostSecrets(Optional<Path> file) {
    this.file = file.map(HostLines::new);
  }

  /**
   * The secrets between one host and the controllers.
   *
   * @param host the host's
   * @param controller the controllers', when the host may ask for a proof of it
   */
  record Pair(DhchapSecret host, Optional<DhchapSecret> controller) {}

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
    Optional<String[]> line = file.isEmpty() ? Optional.empty() : file.get().of(host);
    return line.isEmpty() ? Optional.empty() : Optional.of(pair(line.get()));
  }

  private Pair pair(String[] words) throws StorageException {
    try {
      if (words.length != 2 && words.length != 3) {
        throw new IllegalArgumentException("a line has one secret or two");
      }
      return new Pair(
          DhchapSecret.of(words[1]),
          words.length == 2 ? Optional.empty() : Optional.of(DhchapSecret.of(words[2])));
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, file.orElseThrow() + ", " + words[0] + ": " + e.getMessage(), e);
    }
  }
}
