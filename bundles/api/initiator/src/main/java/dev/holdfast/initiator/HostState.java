package dev.holdfast.initiator;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
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
 * A directory with a small JSON file and a lock for each volume with state on this host. Files are
 * replaced atomically and are durable when a call returns. The lock excludes other threads and
 * processes. Thread-safe.
 *
 * <pre>
 *   directory/demo.json    what is known of volume demo
 *   directory/.demo.lock   there while somebody changes it
 * </pre>
 */
public final class HostState {
  private static final String SUFFIX = ".json";

  private final Path directory;

  /** Creates the state of a directory, which is created at the first use. */
  public HostState(Path directory) {
    this.directory = directory;
  }

  /** An action under a lock. */
  public interface Action<T> {
    /** Runs the action and returns its result. */
    T run() throws StorageException;
  }

  /** Returns the directory. */
  public Path directory() {
    return directory;
  }

  /**
   * Waits for the lock of a volume and runs an action under the lock. The lock is not reentrant.
   *
   * @throws StorageException INVALID for an invalid volume name; IO; TIMEOUT when interrupted while
   *     waiting; exceptions of the action
   */
  public <T> T locked(String volume, Action<T> action) throws StorageException {
    requireName(volume);
    try {
      HostLock lock = HostLock.of(directory, volume);
      try (lock) {
        return action.run();
      }
    } catch (IOException e) {
      throw StorageException.io("lock of volume " + volume + " in " + directory, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(
          ErrorCode.TIMEOUT, "interrupted while waiting for the lock of volume " + volume, e);
    }
  }

  /**
   * Returns the state of a volume.
   *
   * @throws StorageException IO
   */
  public Optional<String> read(String volume) throws StorageException {
    requireName(volume);
    try {
      return Optional.of(Files.readString(file(volume)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StorageException.io(file(volume).toString(), e);
    }
  }

  /**
   * Replaces the state of a volume.
   *
   * @throws StorageException IO, NO_SPACE
   */
  public void write(String volume, String json) throws StorageException {
    requireName(volume);
    Path next = directory.resolve("." + volume + ".new");
    try {
      Files.createDirectories(directory);
      try (FileChannel channel =
          FileChannel.open(
              next,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(json);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next, file(volume), StandardCopyOption.ATOMIC_MOVE);
      force(directory);
    } catch (IOException e) {
      throw StorageException.io(file(volume).toString(), e);
    }
  }

  /**
   * Deletes the state of a volume; succeeds if it does not exist.
   *
   * @throws StorageException IO
   */
  public void delete(String volume) throws StorageException {
    requireName(volume);
    try {
      if (Files.deleteIfExists(file(volume))) {
        force(directory);
      }
    } catch (IOException e) {
      throw StorageException.io(file(volume).toString(), e);
    }
  }

  /**
   * Returns the volumes with state, sorted.
   *
   * @throws StorageException IO
   */
  public List<String> volumes() throws StorageException {
    List<String> names = new ArrayList<>();
    if (!Files.isDirectory(directory)) {
      return names;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (!name.startsWith(".")) {
          names.add(name.substring(0, name.length() - SUFFIX.length()));
        }
      }
    } catch (IOException e) {
      throw StorageException.io(directory.toString(), e);
    }
    names.sort(null);
    return names;
  }

  /** Rejects names that would lead outside the directory. */
  private static void requireName(String volume) throws StorageException {
    if (!volume.matches("[a-z0-9][-.a-z0-9]*")) {
      throw new StorageException(ErrorCode.INVALID, "\"" + volume + "\" is not a name of a volume");
    }
  }

  private Path file(String volume) {
    return directory.resolve(volume + SUFFIX);
  }

  private static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
