package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * Access to the bytes of one layer of a replica for a layer copy. Calls block and can be repeated.
 * For one thread.
 */
public interface LayerBytes extends AutoCloseable {

  /** Fills the buffer. */
  void read(long offset, ByteBuffer target) throws StorageException;

  /** Writes the remaining bytes of the buffer. */
  void write(long offset, ByteBuffer source) throws StorageException;

  @Override
  void close();
}
