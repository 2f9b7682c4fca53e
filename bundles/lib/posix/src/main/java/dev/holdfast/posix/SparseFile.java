package dev.holdfast.posix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds, punches and fills the holes of a regular file, independent of the channel that the caller
 * uses for its bytes. Reads cached bytes without disk I/O. Thread-safe, except that {@link #close}
 * must come last. Not affected by interruption of the calling thread.
 */
public final class SparseFile implements AutoCloseable {
  /**
   * Allocated space without content.
   *
   * @param offset of its first byte
   * @param end offset after its last byte
   */
  public record Unwritten(long offset, long end) {}

  private static final int O_RDONLY = 0;
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;
  private static final int O_NOATIME = 0x40000;
  private static final int EPERM = 1;
  private static final int FALLOC_FL_KEEP_SIZE = 0x01;
  private static final int FALLOC_FL_PUNCH_HOLE = 0x02;
  private static final int FALLOC_FL_ZERO_RANGE = 0x10;
  private static final int SEEK_END = 2;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int ENOENT = 2;
  private static final int EINTR = 4;
  private static final int ENXIO = 6;
  private static final int EINVAL = 22;
  private static final int ENOSYS = 38;
  private static final int EOPNOTSUPP = 95;

  private final Path path;
  private final int descriptor;
  private volatile boolean readsCached;
  private boolean closed;

  private SparseFile(Path path, int descriptor, boolean readsCached) {
    this.path = path;
    this.descriptor = descriptor;
    this.readsCached = readsCached;
  }

  /**
   * Opens an existing file for reading and writing.
   *
   * @param path of a regular file, not null
   * @return the open file, never null
   * @throws IOException when it cannot be opened
   */
  public static SparseFile open(Path path) throws IOException {
    // O_NOATIME, because an update of the access time may wait for the disk. For a file of another
    // owner the flag is not permitted.
    int descriptor = Native.LIBC.open(path.toString(), O_RDWR | O_NOATIME | O_CLOEXEC, 0);
    if (descriptor >= 0 || lastError() != EPERM) {
      return new SparseFile(path, checked(path, descriptor), true);
    }
    return new SparseFile(path, descriptor(path, O_RDWR), false);
  }

  /**
   * Opens an existing file only to find its holes.
   *
   * @param path of a regular file, not null
   * @return the open file, never null
   * @throws IOException when it cannot be opened
   */
  public static SparseFile openReadOnly(Path path) throws IOException {
    return new SparseFile(path, descriptor(path, O_RDONLY), false);
  }

  /**
   * Makes the entries of a directory durable.
   *
   * @param directory whose entries were added, renamed or removed, not null
   * @throws IOException when they could not be made durable
   */
  public static void syncDirectory(Path directory) throws IOException {
    int descriptor = descriptor(directory, O_RDONLY);
    try {
      if (Native.LIBC.fsync(descriptor) != 0) {
        throw failure("fsync", directory, lastError());
      }
    } finally {
      Native.LIBC.close(descriptor);
    }
  }

  /**
   * Punches a hole: the exact range then reads as zeroes, and its whole blocks are freed.
   *
   * @param offset first byte
   * @param length in bytes, more than 0
   * @return false if this file system does not support holes; the range is then unchanged
   * @throws IOException when the call failed
   */
  public boolean punchHole(long offset, long length) throws IOException {
    return allocate(FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
  }

  /**
   * Zeroes a range and keeps it allocated.
   *
   * @param offset first byte
   * @param length in bytes, more than 0
   * @return false if this file system cannot zero without writing; the range is then unchanged
   * @throws IOException when the call failed, for example because the disk is full
   */
  public boolean zeroRange(long offset, long length) throws IOException {
    return allocate(FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, offset, length);
  }

  /**
   * Fills a buffer if the page cache contains the whole range; never does disk I/O. Needs Linux 6.5
   * and a file system that supports this, such as ext4, XFS or Btrfs.
   *
   * @param target direct, its remaining bytes are filled; not null
   * @param position of the first byte in the file
   * @return false if disk I/O is needed or the kernel does not support this call; the buffer's
   *     position is then unchanged and its remaining bytes are undefined
   */
  public boolean readCached(ByteBuffer target, long position) {
    if (!readsCached || !target.isDirect()) {
      return false;
    }
    CachedRead.Outcome outcome = CachedRead.into(target, descriptor, position);
    if (outcome == CachedRead.Outcome.UNSUPPORTED) {
      readsCached = false;
    }
    return outcome == CachedRead.Outcome.READ;
  }

  /**
   * Returns whether a false of {@link #readCached} means that the page cache lacks the range.
   * Returns true until a read has shown that the kernel or the file system does not support the
   * call.
   *
   * @return false if the state of the page cache cannot be determined
   */
  public boolean tellsCached() {
    return readsCached;
  }

  /**
   * Returns the path by which this process opens the same file again, also after the file was
   * renamed, replaced or deleted. See proc(5), {@code fd}.
   *
   * @return a path that is valid until {@link #close}, never null
   */
  public Path link() {
    return Path.of("/proc/self/fd/" + descriptor);
  }

  /**
   * Returns the size of the open file, also after it was renamed, replaced or deleted.
   *
   * @return the size in bytes
   * @throws IOException when the call failed
   */
  public long size() throws IOException {
    return seek(0, SEEK_END);
  }

  /**
   * Grows the file by a hole at its end. A file of at least that size is unchanged.
   *
   * @param size minimum size in bytes after the call
   * @throws IOException when the call failed
   */
  public synchronized void grow(long size) throws IOException {
    while (size() < size && Native.LIBC.ftruncate(descriptor, size) != 0) {
      int error = lastError();
      if (error != EINTR) {
        throw failure("ftruncate", path, error);
      }
    }
  }

  /**
   * Finds allocated bytes.
   *
   * @param offset start of the search
   * @return the first offset of data at or after the start; -1 if none up to the end of the file
   * @throws IOException when the call failed
   */
  public long nextData(long offset) throws IOException {
    return seek(offset, SEEK_DATA);
  }

  /**
   * Finds a hole; the end of the file counts as one.
   *
   * @param offset start of the search
   * @return the first offset in a hole at or after the start; -1 if the start is past the end of
   *     the file
   * @throws IOException when the call failed
   */
  public long nextHole(long offset) throws IOException {
    return seek(offset, SEEK_HOLE);
  }

  /**
   * Finds allocated space that was never written, or was zeroed since. Such space reads as zeroes,
   * and {@link #nextData} treats it as a hole.
   *
   * @param offset start of the search
   * @param end end of the search
   * @return the first such range in between; empty if none exists or the file system does not
   *     report it; never null
   */
  public Optional<Unwritten> nextUnwritten(long offset, long end) {
    return FileExtents.unwritten(descriptor, offset, end);
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      readsCached = false;
      Native.LIBC.close(descriptor);
    }
  }

  private boolean allocate(int mode, long offset, long length) throws IOException {
    while (Native.LIBC.fallocate(descriptor, mode, offset, length) != 0) {
      int error = lastError();
      if (error == EOPNOTSUPP || error == ENOSYS || error == EINVAL) {
        return false;
      }
      if (error != EINTR) {
        throw failure("fallocate", path, error);
      }
    }
    return true;
  }

  // Threads share the descriptor and its position. This is safe, because lseek by END, DATA and
  // HOLE takes an absolute offset and no call reads at the position of this descriptor.
  private long seek(long offset, int whence) throws IOException {
    long found = Native.LIBC.lseek(descriptor, offset, whence);
    if (found >= 0) {
      return found;
    }
    int error = lastError();
    if (error == ENXIO) {
      return -1;
    }
    throw failure("lseek", path, error);
  }

  private static int descriptor(Path path, int flags) throws IOException {
    return checked(path, Native.LIBC.open(path.toString(), flags | O_CLOEXEC, 0));
  }

  private static int checked(Path path, int descriptor) throws IOException {
    if (descriptor >= 0) {
      return descriptor;
    }
    int error = lastError();
    if (error == ENOENT) {
      throw new NoSuchFileException(path.toString());
    }
    throw failure("open", path, error);
  }

  private static int lastError() {
    return Native.RUNTIME.getLastError();
  }

  private static IOException failure(String call, Path path, int error) {
    return new IOException(call + " of " + path + ": " + Native.LIBC.strerror(error));
  }
}
