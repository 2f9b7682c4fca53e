package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Read access to the disk of an image. For one thread at a time. */
public interface VirtualDisk extends AutoCloseable {
  /** Returns the format of the image. */
  ImageFormat format();

  /** Returns the size of the disk in bytes. */
  long size();

  /**
   * Returns the run that begins at an offset. A run that reads as zeroes may be reported as data,
   * and neighbouring runs of one kind may be reported apart.
   *
   * @param offset from 0 to the size, exclusive
   * @throws StorageException INVALID when the image is damaged; IO
   */
  Run run(long offset) throws StorageException;

  /**
   * Fills a buffer.
   *
   * @param offset offset of the first byte
   * @param target is filled from its position to its limit, inside the disk
   * @throws StorageException INVALID when the image is damaged; IO
   */
  void read(long offset, ByteBuffer target) throws StorageException;

  /**
   * Returns another reader of this disk, for another thread. Does not check the tables again.
   *
   * @return a reader that uses the bytes of this one; never null. It must be closed first, and
   *     closing it releases only its own buffers
   */
  VirtualDisk another();

  /** Releases its resources and the bytes of the image. Idempotent. */
  @Override
  void close();

  /**
   * Bytes of one kind.
   *
   * @param length more than 0
   * @param zero whether all are zero
   */
  record Run(long length, boolean zero) {}
}
