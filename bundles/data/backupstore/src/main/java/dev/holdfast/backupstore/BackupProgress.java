package dev.holdfast.backupstore;

import dev.holdfast.error.StorageException;

/** Receives the progress of a backup that is being written. Called by several threads. */
@FunctionalInterface
public interface BackupProgress {
  /** Ignores the progress. */
  BackupProgress NONE = (done, total) -> {};

  /**
   * Receives how much of the parts that are to be read was read, compared and sent.
   *
   * @param doneBytes from 0 to the total
   * @param totalBytes of all parts
   * @throws StorageException to end the backup with this exception
   */
  void advanced(long doneBytes, long totalBytes) throws StorageException;
}
