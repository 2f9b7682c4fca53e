package dev.holdfast.backupstore;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The snapshot that a backup is made of. Its content never changes. Thread-safe. */
public interface BackupSource {
  /** Returns the size of the snapshot in bytes, more than 0. */
  long sizeBytes();

  /**
   * Returns why the snapshot of an earlier backup cannot be compared with this one; empty if it
   * can. It can only be compared if it is known to be the same snapshot, not by its name.
   *
   * @param last the earlier backup, not null
   * @throws StorageException when that cannot be known now
   */
  Optional<String> refusesBase(BackupSummary last) throws StorageException;

  /**
   * Visits all parts that may differ from the snapshot of an earlier backup, which was not refused.
   *
   * @param last the earlier backup, not null
   * @param visitor receives the parts in any order, not null
   * @throws StorageException when they cannot be listed
   */
  void changedSince(BackupSummary last, RangeVisitor visitor) throws StorageException;

  /**
   * Visits all parts that may have bytes other than zero.
   *
   * @param visitor receives the parts in any order, not null
   * @throws StorageException when they cannot be listed
   */
  void allocated(RangeVisitor visitor) throws StorageException;

  /**
   * Visits all parts that may differ from the backing image of the snapshot, zeroes included.
   *
   * @param visitor receives the parts in any order, not null
   * @throws StorageException when they cannot be listed
   */
  void aboveImage(RangeVisitor visitor) throws StorageException;

  /**
   * Reads bytes, those of the image included.
   *
   * @param offset of the first one
   * @param target is filled from its position to its limit, not null
   * @throws StorageException when they cannot be read
   */
  void read(long offset, ByteBuffer target) throws StorageException;

  /** Receives parts of a snapshot. */
  @FunctionalInterface
  interface RangeVisitor {
    /**
     * Receives a part.
     *
     * @param offset of its first byte, not negative
     * @param length in bytes, not negative
     */
    void range(long offset, long length);
  }
}
