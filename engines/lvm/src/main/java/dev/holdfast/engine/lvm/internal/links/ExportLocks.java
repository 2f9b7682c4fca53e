package dev.holdfast.engine.lvm.internal.links;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Locks of exports between processes of one node. The kernel releases the lock of a killed process
 * after the last of its threads has ended, so after its last request at a device. Thread-safe.
 */
final class ExportLocks {
  private final Path folder;

  ExportLocks(Path folder) {
    this.folder = folder;
  }

  /** A lock that this process has. */
  record Held(FileChannel file) {
    void close() throws StorageException {
      try {
        file.close();
      } catch (IOException e) {
        throw StorageException.io("lock of an export", e);
      }
    }
  }

  /**
   * Takes the lock of an export.
   *
   * @throws StorageException BUSY while another process has it
   */
  Held take(String exportName) throws StorageException {
    Path path = folder.resolve(exportName + ".lock");
    try {
      Files.createDirectories(folder);
      FileChannel file =
          FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (isLocked(file)) {
        return new Held(file);
      }
      file.close();
    } catch (IOException e) {
      throw StorageException.io(path.toString(), e);
    }
    throw new StorageException(
        ErrorCode.BUSY,
        "export " + exportName + ": another process still has the lock " + path + ": try again");
  }

  private static boolean isLocked(FileChannel file) throws IOException {
    try {
      FileLock lock = file.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }
}
