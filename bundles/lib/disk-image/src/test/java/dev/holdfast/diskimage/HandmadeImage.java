package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import java.util.zip.Deflater;

/** A small valid image that tests modify. */
final class HandmadeImage {
  static final int CLUSTER = 4096;
  static final int CLUSTERS = 9;
  static final int L1 = 3 * CLUSTER;
  static final int L2A = 4 * CLUSTER;
  static final int L2B = 6 * CLUSTER;
  static final int PACKED = 8 * CLUSTER;
  static final long SIZE = 3 << 20;
  static final long COPIED = 1L << 63;
  static final long COMPRESSED = 1L << 62;
  static final int SIZE_SHIFT = 62 - (12 - 8);

  /** Offset of the entry of a packed cluster. */
  static final int PACKED_ENTRY = L2B + 3 * Long.BYTES;

  private HandmadeImage() {}

  static ByteBuffer make() {
    ByteBuffer image = ByteBuffer.allocate(CLUSTERS * CLUSTER);
    image.putInt(0, Qcow2Header.MAGIC).putInt(4, 3).putInt(20, 12).putLong(24, SIZE);
    image.putInt(36, 2).putLong(40, L1).putLong(48, CLUSTER).putInt(56, 1);
    image.putInt(96, 4).putInt(100, 104);
    image.putLong(CLUSTER, 2 * CLUSTER);
    for (int i = 0; i < CLUSTERS; i++) {
      image.putShort(2 * CLUSTER + 2 * i, (short) 1);
    }
    image.putLong(L1, L2A | COPIED).putLong(L1 + Long.BYTES, L2B | COPIED);
    image.putLong(L2A, 5 * CLUSTER | COPIED).putLong(L2A + 2 * Long.BYTES, 1);
    image.putLong(L2B, 7 * CLUSTER | COPIED);
    image.putLong(PACKED_ENTRY, COMPRESSED | PACKED | 1L << SIZE_SHIFT);
    Random random = new Random(7);
    byte[] data = new byte[CLUSTER];
    random.nextBytes(data);
    image.put(5 * CLUSTER, data);
    random.nextBytes(data);
    image.put(7 * CLUSTER, data);
    image.put(PACKED, packed());
    return image;
  }

  static byte[] packed() {
    byte[] text = "a packed cluster\n".repeat(241).getBytes(StandardCharsets.US_ASCII);
    byte[] cluster = new byte[CLUSTER];
    System.arraycopy(text, 0, cluster, 0, CLUSTER);
    Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
    deflater.setInput(cluster);
    deflater.finish();
    byte[] packed = new byte[1024];
    deflater.deflate(packed);
    deflater.end();
    return packed;
  }

  /** Opens an image in memory and reads it completely. */
  static byte[] content(ByteBuffer image) throws StorageException {
    return content(image, ReadDisk.LIMIT);
  }

  /** Reads an image completely, with a limit for the size of its disk. */
  static byte[] content(ByteBuffer image, long limit) throws StorageException {
    try (VirtualDisk disk = DiskImages.open(bytes(image), Optional.empty(), limit)) {
      ByteBuffer content = ByteBuffer.allocate((int) disk.size());
      disk.read(0, content);
      for (long at = 0; at < disk.size(); ) {
        at += disk.run(at).length();
      }
      return content.array();
    }
  }

  static ImageBytes bytes(ByteBuffer image) {
    return new ImageBytes() {
      @Override
      public String name() {
        return "handmade";
      }

      @Override
      public long size() {
        return image.limit();
      }

      @Override
      public void read(long position, ByteBuffer target) throws StorageException {
        if (position < 0 || position + target.remaining() > image.limit()) {
          throw DiskImages.refused("handmade", "it ends before byte " + position);
        }
        target.put(image.slice((int) position, target.remaining()));
      }

      @Override
      public void close() {}
    };
  }
}
