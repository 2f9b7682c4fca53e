package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** The bytes of an image as delivered. Several threads may read concurrently. */
public interface ImageBytes extends AutoCloseable {
  /** Returns the name of the image for messages. */
  String name();

  /** Returns the number of bytes. */
  long size();

  /**
   * Fills a buffer.
   *
   * @param position of the first byte
   * @param target is filled from its position to its limit
   * @throws StorageException INVALID when the image ends earlier; IO
   */
  void read(long position, ByteBuffer target) throws StorageException;

  /** Releases its resources. Idempotent. */
  @Override
  void close();
}
