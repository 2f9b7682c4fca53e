package dev.holdfast.posix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Discards ranges of one block device, independent of the channel that the caller uses for its
 * bytes. Thread-safe, except that {@link #close} must come last.
 */
public final class BlockDiscard implements AutoCloseable {
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;
  private static final int EINTR = 4;
  private static final int ENOTTY = 25;
  private static final int EOPNOTSUPP = 95;
  private static final long BLKDISCARD = 0x1277;

  private final Path path;
  private final int descriptor;

  private BlockDiscard(Path path, int descriptor) {
    this.path = path;
    this.descriptor = descriptor;
  }

  /**
   * Opens a device.
   *
   * @param path of a block device, not null
   * @return the open device, never null
   * @throws IOException when it cannot be opened
   */
  public static BlockDiscard open(Path path) throws IOException {
    int descriptor = Native.LIBC.open(path.toString(), O_RDWR | O_CLOEXEC, 0);
    if (descriptor < 0) {
      throw failure("open", path, Native.RUNTIME.getLastError());
    }
    return new BlockDiscard(path, descriptor);
  }

  private static IOException failure(String call, Path path, int error) {
    return new IOException(path + ": " + call + ": " + Native.LIBC.strerror(error));
  }

  /**
   * Discards a range, whose content afterwards depends on the device. A volume of a thin pool reads
   * as zeroes where whole blocks of the pool were discarded.
   *
   * @param offset first byte, a multiple of the device's sector
   * @param length in bytes, more than 0, a multiple of the device's sector
   * @return false if the device cannot discard or is not a block device; the range is then
   *     unchanged
   * @throws IOException when the discard failed
   */
  public boolean discard(long offset, long length) throws IOException {
    ByteBuffer range = ByteBuffer.allocateDirect(2 * Long.BYTES).order(ByteOrder.nativeOrder());
    range.putLong(0, offset).putLong(Long.BYTES, length);
    int error;
    do {
      boolean done = Native.LIBC.ioctl(descriptor, BLKDISCARD, range) == 0;
      error = done ? 0 : Native.RUNTIME.getLastError();
    } while (error == EINTR);
    if (error == EOPNOTSUPP || error == ENOTTY) {
      return false;
    }
    if (error != 0) {
      throw failure("discard", path, error);
    }
    return true;
  }

  /** Closes the device. */
  @Override
  public void close() {
    Native.LIBC.close(descriptor);
  }
}
