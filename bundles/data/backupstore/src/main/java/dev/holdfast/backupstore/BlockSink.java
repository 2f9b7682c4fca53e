package dev.holdfast.backupstore;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Receives the blocks of a backup. Called by several threads, in no particular order. */
public interface BlockSink {
  /**
   * Receives the checked bytes of a block.
   *
   * @param offset of the first byte in the volume
   * @param bytes those that belong to the volume; valid during the call; never null
   * @throws StorageException to end the reading with this exception
   */
  void block(long offset, ByteBuffer bytes) throws StorageException;

  /**
   * Receives a block that is damaged. No bytes of it follow.
   *
   * @param block which, and why, never null
   * @throws StorageException to end the reading with this exception
   */
  void damaged(DamagedBlock block) throws StorageException;
}
