package dev.holdfast.engine.lvm.internal.device;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * An open device of the host. Offsets, lengths and addresses of buffers are multiples of {@link
 * #ALIGNMENT}. Thread-safe, except that {@link #close} must come last.
 */
public interface RawDevice extends AutoCloseable {
  /** Unit of requests in bytes. */
  int ALIGNMENT = 4096;

  /** Ways to use a device. */
  enum Access {
    /** It is not changed. */
    READ,
    /** It is written. */
    WRITE,
    /** It is written, and ranges of it that are discarded read as zeroes. */
    WRITE_AND_DISCARD,
    /** As {@link #WRITE_AND_DISCARD}; each change is durable when its call returns. */
    WRITE_THROUGH
  }

  /** Opens devices of the host. */
  @FunctionalInterface
  interface Opener {
    /**
     * Opens a device.
     *
     * @param path of it
     * @param access how it is used
     * @throws IOException when it cannot be opened
     */
    RawDevice open(Path path, Access access) throws IOException;
  }

  /**
   * Fills a buffer.
   *
   * @throws IOException when the device fails
   */
  void read(long offset, ByteBuffer target) throws IOException;

  /**
   * Writes all of a buffer.
   *
   * @throws IOException when the device fails
   */
  void write(long offset, ByteBuffer source) throws IOException;

  /**
   * Makes everything that was written durable.
   *
   * @throws IOException when the device fails
   */
  void flush() throws IOException;

  /**
   * Gives a range up.
   *
   * @return false when the device cannot do it; nothing was changed
   * @throws IOException when the device fails
   */
  boolean discard(long offset, long length) throws IOException;

  @Override
  void close() throws IOException;
}
