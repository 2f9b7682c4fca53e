package dev.holdfast.image.internal.content;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.diskimage.VirtualDisk;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Copies the content of disks to sinks. */
public final class DiskContent {
  private static final int PIECE = 1 << 20;
  private static final int BLOCK = 4096;

  private DiskContent() {}

  /** Copies the whole content of an image's disk. */
  public static void copy(VirtualDisk disk, ContentSink sink) throws StorageException {
    try (ReadAhead ahead = new ReadAhead(disk, sink)) {
      ahead.copy();
    }
  }

  /** Copies the content of a device. */
  public static void copy(BlockDevice device, ContentSink sink) throws StorageException {
    copy(device, 0, device.size(), sink);
  }

  /** Copies a range of a device. */
  public static void copy(BlockDevice device, long offset, long size, ContentSink sink)
      throws StorageException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE);
    long end = offset + size;
    for (long at = offset; at < end; ) {
      // Pieces end at multiples of the piece size, even if the range begins within a piece.
      long length = Math.min(PIECE - at % PIECE, end - at);
      boolean[] data = {false};
      BlockIo.extents(
          device,
          at,
          length,
          (from, count, kind) -> {
            data[0] |= kind == ExtentKind.DATA;
            return !data[0];
          });
      if (data[0]) {
        buffer.clear().limit((int) length);
        BlockIo.read(device, at, buffer);
        split(buffer.flip(), sink);
      } else {
        sink.zeroes(length);
      }
      at += length;
    }
  }

  /** Forwards the bytes of a buffer, and blocks of zeroes as zeroes. */
  static void split(ByteBuffer buffer, ContentSink sink) throws StorageException {
    int start = 0;
    while (start < buffer.limit()) {
      boolean zero = isZero(buffer, start);
      int end = Math.min(buffer.limit(), start + BLOCK);
      while (end < buffer.limit() && isZero(buffer, end) == zero) {
        end = Math.min(buffer.limit(), end + BLOCK);
      }
      if (zero) {
        sink.zeroes(end - start);
      } else {
        sink.data(buffer.slice(start, end - start));
      }
      start = end;
    }
  }

  private static boolean isZero(ByteBuffer buffer, int start) {
    int end = Math.min(buffer.limit(), start + BLOCK);
    int at = start;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      if (buffer.getLong(at) != 0) {
        return false;
      }
    }
    for (; at < end; at++) {
      if (buffer.get(at) != 0) {
        return false;
      }
    }
    return true;
  }
}
