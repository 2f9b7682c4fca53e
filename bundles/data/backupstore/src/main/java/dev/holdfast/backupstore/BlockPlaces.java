package dev.holdfast.backupstore;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Optional;

/**
 * Places of the blocks of one backup at the target, as a layout tells them to readers. Blocks have
 * numbers in the order of their offsets. Immutable, thread-safe.
 */
public interface BlockPlaces {
  /** Returns a new digest, whose first 32 bytes are the checksum of a block; never null. */
  MessageDigest digest();

  /**
   * Returns the key of the object that has a block, never null.
   *
   * @param index number of the block
   */
  String key(int index);

  /**
   * Returns a number that differs between two places of equal blocks; 0 in a layout where equal
   * blocks have one place.
   *
   * @param index number of the block
   */
  long mark(int index);

  /**
   * Returns a new loader with buffers of its own.
   *
   * @param store the target, not null
   */
  Loader loader(ObjectStore store);

  /** Loads blocks. Used by one thread. */
  interface Loader {
    /**
     * Fills a block. Its checksum is not compared.
     *
     * @param index number of the block
     * @param block as large as a block, not null
     * @return why the block is damaged, empty if it was loaded, never null
     * @throws IOException for a stored form that cannot be decompressed
     * @throws StorageException NOT_FOUND, IO for a damaged block; others of the target
     */
    Optional<String> load(int index, byte[] block) throws IOException, StorageException;
  }
}
