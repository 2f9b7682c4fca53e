package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** The bytes of an image as they were delivered. Several threads may read at a time. */
public interface ImageBytes extends AutoCloseable {
  /** Returns how messages name the image. */
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

  /** Releases what it holds. Idempotent. */
  @Override
  void close();
}
