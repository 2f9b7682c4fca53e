package dev.holdfast.host;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A passphrase in a file that only this user can read, in memory, for as long as a program runs.
 */
final class KeyFile implements AutoCloseable {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path path;

  private KeyFile(Path path) {
    this.path = path;
  }

  static KeyFile of(String passphrase) throws StorageException {
    try {
      KeyFile file = new KeyFile(Files.createTempFile(MEMORY, "holdfast-", ".key", OWNER_ONLY));
      try {
        Files.writeString(file.path, passphrase, StandardCharsets.UTF_8);
        return file;
      } catch (IOException e) {
        file.close();
        throw e;
      }
    } catch (IOException e) {
      throw StorageException.io("a passphrase cannot be kept in " + MEMORY, e);
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }

  @Override
  public void close() throws StorageException {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw StorageException.io(path + " holds a passphrase and cannot be deleted", e);
    }
  }
}
