package dev.holdfast.host;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Files, folders and devices of a host. All calls throw UNREACHABLE when the host does not answer.
 * Thread-safe.
 */
@ProviderType
public interface HostFiles {
  /**
   * Reads a part of a file or of a device.
   *
   * @param offset in bytes
   * @param length maximum number of bytes
   * @return the bytes, fewer at the end; empty when the file is absent
   * @throws StorageException IO
   */
  Optional<byte[]> read(Path file, long offset, int length) throws StorageException;

  /**
   * Returns the size of a file, or of a block device, in bytes.
   *
   * @throws StorageException NOT_FOUND; IO
   */
  long size(Path file) throws StorageException;

  /**
   * Returns the sorted names in a folder; empty when it is absent.
   *
   * @throws StorageException IO
   */
  List<String> list(Path folder) throws StorageException;

  /** Kinds of files. */
  enum Kind {
    /** A regular file. */
    FILE,
    /** A folder. */
    FOLDER,
    /** A block device. */
    BLOCK_DEVICE,
    /** Any other, such as a socket. */
    OTHER
  }

  /**
   * Returns the kind of a file, of its target for a symbolic link; empty when it is absent.
   *
   * @throws StorageException IO
   */
  Optional<Kind> kind(Path path) throws StorageException;

  /** Returns whether a path exists, as a file of any kind. */
  default boolean exists(Path path) throws StorageException {
    return kind(path).isPresent();
  }

  /**
   * Creates a folder and its parents when they are absent.
   *
   * @return its path without symbolic links
   * @throws StorageException INVALID when another kind of file exists there; IO
   */
  Path createFolder(Path folder) throws StorageException;

  /**
   * Creates an empty file and its folder when they are absent.
   *
   * @throws StorageException IO
   */
  void createFile(Path file) throws StorageException;

  /**
   * Deletes an empty folder or a file; succeeds when it is absent.
   *
   * @throws StorageException BUSY when it is a folder that is not empty; IO
   */
  void delete(Path path) throws StorageException;

  /**
   * Returns the path of an entry without the symbolic links of its folder; the path itself when the
   * folder is absent.
   *
   * @throws StorageException IO
   */
  Path real(Path path) throws StorageException;

  /**
   * Returns major and minor number of a device, such as {@code 7:0}; empty when the path is absent
   * or is not a device.
   *
   * @throws StorageException IO
   */
  Optional<String> deviceNumber(Path path) throws StorageException;

  /**
   * Stores a text in an in-memory file that only this user can read.
   *
   * @param content such as a passphrase
   * @throws StorageException IO
   */
  SecretFile secret(String content) throws StorageException;
}
