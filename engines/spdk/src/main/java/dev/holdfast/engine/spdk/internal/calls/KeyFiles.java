package dev.holdfast.engine.spdk.internal.calls;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/**
 * Keys of the target with their files, which SPDK reads whenever it needs a key. The files are in a
 * folder that only this account reads. Thread-safe for keys of different names.
 */
public final class KeyFiles {
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final SpdkKeyring keyring;
  private final Path folder;

  /**
   * Creates the keys of a target.
   *
   * @param folder for the files; is made when it is missing
   */
  public KeyFiles(SpdkKeyring keyring, Path folder) {
    this.keyring = keyring;
    this.folder = folder;
  }

  /** Adds a key. Succeeds when the target has it. */
  public void add(String name, String secret) throws StorageException {
    Path file = folder.resolve(name);
    try {
      write(file, secret.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw StorageException.io("key file " + file, e);
    }
    keyring.add(name, file);
  }

  private void write(Path file, byte[] content) throws IOException {
    Files.createDirectories(folder.toAbsolutePath().getParent());
    if (!Files.exists(folder)) {
      Files.createDirectory(folder, PRIVATE_FOLDER);
    }
    Files.deleteIfExists(file);
    Files.createFile(file, PRIVATE_FILE);
    Files.write(file, content);
  }

  /**
   * Returns a secret that is the same until the machine starts again.
   *
   * @param name of its file
   * @param fresh the secret where there is none yet
   */
  public synchronized byte[] kept(String name, byte[] fresh) throws StorageException {
    Path file = folder.resolve(name);
    try {
      if (Files.exists(file) && Files.size(file) == fresh.length) {
        return Files.readAllBytes(file);
      }
      write(file, fresh);
      return fresh.clone();
    } catch (IOException e) {
      throw StorageException.io("key file " + file, e);
    }
  }

  /** Returns the names of all keys of the target. */
  public List<String> names() throws StorageException {
    return keyring.names();
  }

  /** Removes a key that {@link #names} returned, with its file. */
  public void remove(String name) throws StorageException {
    keyring.remove(name);
    try {
      Files.deleteIfExists(folder.resolve(name));
    } catch (IOException e) {
      throw StorageException.io("key file " + folder.resolve(name), e);
    }
  }
}
