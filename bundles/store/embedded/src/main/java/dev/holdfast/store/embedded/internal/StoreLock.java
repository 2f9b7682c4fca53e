package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.posix.LockFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Prevents a store's file from being opened twice. The lock belongs to the operating system, on a
 * file beside the store, so the kernel releases it whenever its process ends. The file names the
 * process that holds it.
 */
final class StoreLock implements AutoCloseable {
  private final LockFile lock;

  private StoreLock(LockFile lock) {
    this.lock = lock;
  }

  static StoreLock take(Path store) throws StorageException {
    Path file = store.resolveSibling(store.getFileName() + ".lock");
    try {
      Optional<LockFile> lock = LockFile.tryLock(file);
      if (lock.isEmpty()) {
        throw inUse(store, file);
      }
      return named(lock.get());
    } catch (IOException e) {
      throw StorageException.io("lock " + file, e);
    }
  }

  private static StoreLock named(LockFile lock) throws IOException {
    boolean named = false;
    try {
      lock.write(self().getBytes(StandardCharsets.US_ASCII));
      named = true;
      return new StoreLock(lock);
    } finally {
      if (!named) {
        lock.close();
      }
    }
  }

  private static String self() {
    return Long.toString(ProcessHandle.current().pid());
  }

  private static StorageException inUse(Path store, Path file) {
    return new StorageException(
        ErrorCode.BUSY,
        "the store "
            + store
            + " is already open in process "
            + holder(file)
            + "; only one may use it: stop that one, or give this one its own holdfast.data");
  }

  // Closing the file after reading would release a lock that this process holds.
  private static String holder(Path file) {
    try {
      return LockFile.heldHere(file) ? self() : Files.readString(file, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return "unknown: " + e.getMessage();
    }
  }

  @Override
  public void close() throws StorageException {
    try {
      lock.close();
    } catch (IOException e) {
      throw StorageException.io("release the lock of the store", e);
    }
  }
}
