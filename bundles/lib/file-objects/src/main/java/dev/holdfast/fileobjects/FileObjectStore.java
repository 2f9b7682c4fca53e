package dev.holdfast.fileobjects;

import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Objects of a backup target as files below a root. Thread-safe. Several processes, also on several
 * nodes over a shared file system, may use one root.
 *
 * <p>A put writes a file in the staging folder, syncs it, links or renames it to its place, and
 * syncs that folder. Symbolic links below the root are never followed: files behind one do not
 * exist for the store.
 */
public final class FileObjectStore implements ObjectStore {
  /** Number of attempts to create a folder that another process removes because it is empty. */
  private static final int TRIES = 16;

  private final Path root;
  private final StagingFolder staging;

  /**
   * Creates a store without accessing a file.
   *
   * @param root an existing directory, not null
   */
  public FileObjectStore(Path root) {
    this.root = root;
    this.staging = new StagingFolder(root);
  }

  @Override
  public Set<StoreCapability> capabilities() {
    return Set.of(StoreCapability.CREATE_IF_ABSENT);
  }

  @Override
  public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException {
    Path file = root.resolve(ObjectKeys.check(key));
    refuseUnsupported(key, options);
    try {
      Path staged = staging.write(content);
      try {
        return place(key, staged, file, options.ifAbsent());
      } finally {
        Files.deleteIfExists(staged);
      }
    } catch (IOException e) {
      throw failure(key, "could not store", e);
    }
  }

  private static void refuseUnsupported(String key, PutOptions options) throws StorageException {
    if (options.ifTag().isPresent() || options.retainUntil().isPresent()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "object " + key + ": a directory has neither conditional replacement nor retention");
    }
  }

  private StoredObject place(String key, Path staged, Path file, boolean ifAbsent)
      throws IOException, StorageException {
    for (int attempt = 1; ; attempt++) {
      Folders.create(root, file.getParent());
      try {
        if (ifAbsent) {
          Files.createLink(file, staged);
        } else {
          Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE);
        }
        StoredObject stored = FileObjects.describe(key, file);
        Folders.sync(file.getParent());
        return stored;
      } catch (FileAlreadyExistsException e) {
        throw new StorageException(ErrorCode.CONFLICT, "object " + key + ": exists", e);
      } catch (NoSuchFileException e) {
        // Another thread or process removed the empty folder with a deletion.
        if (attempt == TRIES || !Files.exists(staged, LinkOption.NOFOLLOW_LINKS)) {
          throw e;
        }
      }
    }
  }

  @Override
  public void get(String key, long offset, ByteBuffer target) throws StorageException {
    Path file = root.resolve(ObjectKeys.check(key));
    try {
      if (!Folders.isReal(root, file.getParent())) {
        throw absent(key);
      }
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
        FileObjects.read(key, channel, offset, target);
      }
    } catch (NoSuchFileException e) {
      throw absent(key);
    } catch (IOException e) {
      throw isKnownAbsent(file) ? absent(key) : failure(key, "could not read", e);
    }
  }

  /** A file whose server does not answer must not count as absent. */
  private static boolean isKnownAbsent(Path file) {
    try {
      return !FileObjects.isFile(file);
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public Optional<StoredObject> stat(String key) throws StorageException {
    Path file = root.resolve(ObjectKeys.check(key));
    try {
      return Folders.isReal(root, file.getParent()) && FileObjects.isFile(file)
          ? Optional.of(FileObjects.describe(key, file))
          : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw failure(key, "could not look up", e);
    }
  }

  @Override
  public void delete(Collection<String> keys) throws StorageException {
    for (String key : keys) {
      Path file = root.resolve(ObjectKeys.check(key));
      try {
        if (Folders.isReal(root, file.getParent())
            && FileObjects.isFile(file)
            && Files.deleteIfExists(file)) {
          Folders.sync(file.getParent());
          Folders.removeEmpty(root, file.getParent());
        }
      } catch (IOException e) {
        throw failure(key, "could not delete", e);
      }
    }
  }

  @Override
  public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
    try {
      new Listing(root, prefix, after, visitor).run();
    } catch (IOException e) {
      throw failure(prefix + "…", "could not list", e);
    }
  }

  @Override
  public void close() {
    // Holds no resource between calls.
  }

  private static StorageException absent(String key) {
    return new StorageException(ErrorCode.NOT_FOUND, "object " + key + ": does not exist");
  }

  private StorageException failure(String key, String what, IOException cause) {
    if (cause instanceof FileSystemException
        && !(cause instanceof NoSuchFileException)
        && blockedByAnObject(root.resolve(key))) {
      return new StorageException(
          ErrorCode.CONFLICT,
          "object " + key + ": another object, or a link, stands in place of one of its folders",
          cause);
    }
    if (cause instanceof AccessDeniedException) {
      return new StorageException(
          ErrorCode.FORBIDDEN,
          "backup target " + root + ": object " + key + ": " + what + ": permission denied",
          cause);
    }
    return StorageException.io("backup target " + root + ": object " + key + ": " + what, cause);
  }

  private boolean blockedByAnObject(Path file) {
    for (Path folder = file.getParent();
        folder != null && !folder.equals(root) && folder.startsWith(root);
        folder = folder.getParent()) {
      if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)
          && !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        return true;
      }
    }
    return Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
  }
}
