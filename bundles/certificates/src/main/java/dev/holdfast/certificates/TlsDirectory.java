package dev.holdfast.certificates;

import dev.holdfast.certificates.internal.TlsFiles;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collection;

/** Prepares a directory of TLS files outside of the container: for tools and tests. */
public final class TlsDirectory {
  private TlsDirectory() {}

  /**
   * Makes what is missing of {@code ca.crt}, {@code ca.key}, {@code server.crt} and {@code
   * server.key}, and renews the server's certificate when it is about to expire or lacks a name.
   * Files of the owner's own are left as they are.
   *
   * @param directory made when it is not there
   * @param names host names and IP addresses that clients use
   * @param clock for validity
   * @return the files, never null
   * @throws StorageException INVALID when files of the owner's do not fit together; IO, NO_SPACE
   */
  public static NodeTls prepare(Path directory, Collection<String> names, Clock clock)
      throws StorageException {
    return TlsFiles.prepare(directory, names, clock);
  }
}
