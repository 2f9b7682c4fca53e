package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * The bytes of one layer of a replica, for the copy of layers: calls block, and can be repeated.
 * For one thread.
 */
public interface LayerBytes extends AutoCloseable {

  /** Fills the buffer. */
  void read(long offset, ByteBuffer target) throws StorageException;

  /** Writes what is left in the buffer. */
  void write(long offset, ByteBuffer source) throws StorageException;

  @Override
  void close();
}
