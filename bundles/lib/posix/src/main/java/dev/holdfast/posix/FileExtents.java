package dev.holdfast.posix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Reads the extents of a file from the file system (FIEMAP). Unlike lseek(2), this distinguishes
 * allocated space that was never written from a hole.
 *
 * <pre>
 *   struct fiemap: start, length | flags, mapped, count, reserved | extents
 *   struct fiemap_extent: logical, physical, length, 2 reserved | flags, 3 reserved
 * </pre>
 */
final class FileExtents {
  private static final long FIEMAP = 0xc020660bL;
  private static final int LENGTH_AT = 8;
  private static final int MAPPED_AT = 20;
  private static final int COUNT_AT = 24;
  private static final int HEADER = 32;
  private static final int EXTENT = 56;
  private static final int EXTENT_LENGTH_AT = 16;
  private static final int EXTENT_FLAGS_AT = 40;
  private static final int LAST = 0x1;
  private static final int UNWRITTEN = 0x800;
  private static final int COUNT = 16;

  private FileExtents() {}

  /** Returns the first unwritten extent that overlaps a range; empty also if unknown. */
  static Optional<SparseFile.Unwritten> unwritten(int descriptor, long offset, long end) {
    ByteBuffer map = ByteBuffer.allocateDirect(HEADER + COUNT * EXTENT);
    map.order(ByteOrder.nativeOrder());
    long from = offset;
    while (from < end) {
      map.putLong(0, from).putLong(LENGTH_AT, end - from).putLong(LENGTH_AT + Long.BYTES, 0);
      map.putInt(COUNT_AT, COUNT);
      if (Native.LIBC.ioctl(descriptor, FIEMAP, map) != 0) {
        return Optional.empty();
      }
      int count = map.getInt(MAPPED_AT);
      for (int i = 0; i < count; i++) {
        int at = HEADER + i * EXTENT;
        long first = map.getLong(at);
        long last = first + map.getLong(at + EXTENT_LENGTH_AT);
        int flags = map.getInt(at + EXTENT_FLAGS_AT);
        if ((flags & UNWRITTEN) != 0 && last > offset && first < end) {
          return Optional.of(
              new SparseFile.Unwritten(Math.max(first, offset), Math.min(last, end)));
        }
        from = (flags & LAST) != 0 ? end : Math.max(from, last);
      }
      if (count == 0) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }
}
