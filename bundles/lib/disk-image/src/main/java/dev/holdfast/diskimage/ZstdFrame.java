package dev.holdfast.diskimage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Finds the end of a zstd frame (RFC 8878, section 3.1.1). Padding follows a cluster's frame,
 * because qcow2 records its length in sectors.
 */
final class ZstdFrame {
  private static final int MAGIC = 0xfd2fb528;
  private static final int[] DICTIONARY_BYTES = {0, 1, 2, 4};
  private static final int[] SIZE_BYTES = {0, 2, 4, 8};
  private static final int BLOCK_HEADER = 3;
  private static final int RLE = 1;
  private static final int RESERVED = 3;

  private ZstdFrame() {}

  /** Returns the length of the frame at the start of a buffer, or -1 if it has none. */
  static int length(ByteBuffer buffer) {
    ByteBuffer frame = buffer.slice().order(ByteOrder.LITTLE_ENDIAN);
    if (frame.limit() < Integer.BYTES + 2 || frame.getInt(0) != MAGIC) {
      return -1;
    }
    int descriptor = frame.get(Integer.BYTES) & 0xff;
    boolean single = (descriptor & 0x20) != 0;
    int sizeFlag = descriptor >>> 6;
    long at = Integer.BYTES + 1L + (single ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3];
    at += single && sizeFlag == 0 ? 1 : SIZE_BYTES[sizeFlag];
    boolean last = false;
    while (!last) {
      if (at + BLOCK_HEADER > frame.limit()) {
        return -1;
      }
      int place = (int) at;
      int block =
          (frame.get(place) & 0xff)
              | (frame.get(place + 1) & 0xff) << 8
              | (frame.get(place + 2) & 0xff) << 16;
      int type = (block >>> 1) & 3;
      if (type == RESERVED) {
        return -1;
      }
      last = (block & 1) != 0;
      at += BLOCK_HEADER + (type == RLE ? 1 : block >>> 3);
    }
    at += (descriptor & 4) != 0 ? Integer.BYTES : 0;
    return at > frame.limit() ? -1 : (int) at;
  }
}
