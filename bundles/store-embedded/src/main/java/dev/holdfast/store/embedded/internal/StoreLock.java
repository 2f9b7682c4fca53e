package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Keeps a store's file from being opened twice. The lock is the operating system's, on a file
 * beside the store, so it goes when its process goes, however that ends; the file says who holds
 * it.
 */
final class StoreLock implements AutoCloseable {
  private final FileChannel channel;

  private StoreLock(FileChannel channel) {
    this.channel = channel;
  }

  static StoreLock take(Path store) throws StorageException {
    Path file = store.resolveSibling(store.getFileName() + ".lock");
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        throw inUse(store, file, channel);
      }
      channel.truncate(0);
      String holder = Long.toString(ProcessHandle.current().pid());
      channel.write(ByteBuffer.wrap(holder.getBytes(StandardCharsets.US_ASCII)), 0);
      return new StoreLock(channel);
    } catch (OverlappingFileLockException e) {
      throw inUse(store, file, channel);
    } catch (IOException e) {
      closeQuietly(channel);
      throw StorageException.io("lock " + file, e);
    }
  }

  private static StorageException inUse(Path store, Path file, FileChannel channel) {
    String holder = "";
    try {
      holder = Files.readString(file, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      holder = "unknown: " + e.getMessage();
    }
    closeQuietly(channel);
    return new StorageException(
        ErrorCode.BUSY,
        "the store "
            + store
            + " is already open in process "
            + holder
            + "; only one may use it: stop that one, or give this one its own holdfast.data");
  }

  private static void closeQuietly(FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // Nothing was written through it, and what led here is reported.
        return;
      }
    }
  }

  @Override
  public void close() throws StorageException {
    try {
      channel.close();
    } catch (IOException e) {
      throw StorageException.io("release the lock of the store", e);
    }
  }
}
