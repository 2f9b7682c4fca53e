package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * The bytes of one layer of a replica, as the copying of layers moves them: blocks, and may be
 * asked again. For one thread.
 */
public interface LayerBytes extends AutoCloseable {

  /** Fills the buffer. */
  void read(long offset, ByteBuffer target) throws StorageException;

  /** Writes what is left in the buffer. */
  void write(long offset, ByteBuffer source) throws StorageException;

  @Override
  void close();
}
