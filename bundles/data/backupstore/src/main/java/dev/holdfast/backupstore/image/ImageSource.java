package dev.holdfast.backupstore.image;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** The content of an image, which never changes. Thread-safe. */
public interface ImageSource {
  /** Returns the size of the image's disk in bytes, more than 0. */
  long sizeBytes();

  /**
   * Returns the blocks that may have bytes other than zero.
   *
   * @param blockSize bytes of a block, a power of two
   * @throws StorageException when they cannot be listed
   */
  BitSet dataBlocks(int blockSize) throws StorageException;

  /**
   * Reads bytes.
   *
   * @param offset of the first one
   * @param target is filled from its position to its limit, not null
   * @throws StorageException when they cannot be read
   */
  void read(long offset, ByteBuffer target) throws StorageException;
}
