package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * The header of a qcow2 image, versions 2 and 3, as QEMU's docs/interop/qcow2.txt defines it.
 *
 * @param version 2 or 3
 * @param clusterBits logarithm of the cluster size, 9 to 21
 * @param size size of the disk in bytes
 * @param l1Offset offset of the first-level table
 * @param l1Entries number of its entries
 * @param refcountOffset offset of the table of reference counts
 * @param refcountClusters number of its clusters
 * @param compression compression of packed clusters
 */
record Qcow2Header(
    int version,
    int clusterBits,
    long size,
    long l1Offset,
    int l1Entries,
    long refcountOffset,
    int refcountClusters,
    Compression compression) {
  static final int MAGIC = 0x514649fb;

  private static final int V2_LENGTH = 72;
  private static final int V3_LENGTH = 104;
  private static final int LONGEST = 64 << 10;
  private static final int SMALLEST_BITS = 9;
  private static final int LARGEST_BITS = 21;
  private static final long LARGEST_DISK = 1L << 53;
  private static final int LARGEST_L1 = (32 << 20) / Long.BYTES;
  private static final int LARGEST_REFCOUNT_TABLE = 8 << 20;
  private static final int MOST_SNAPSHOTS = 65536;

  private static final long DIRTY = 1;
  private static final long CORRUPT = 1 << 1;
  private static final long DATA_FILE = 1 << 2;
  private static final long COMPRESSION_TYPE = 1 << 3;

  private static final int BACKING_FORMAT = 0xe2792aca;
  private static final int ENCRYPTION = 0x0537be77;
  private static final int DATA_FILE_NAME = 0x44415441;

  /** Compression of packed clusters. */
  enum Compression {
    DEFLATE,
    ZSTD
  }

  long clusterSize() {
    return 1L << clusterBits;
  }

  /** Returns the number of entries of a second-level table. */
  int l2Entries() {
    return 1 << (clusterBits - 3);
  }

  /** Returns the number of first-level entries that the disk needs. */
  int neededL1() {
    long covered = clusterSize() * l2Entries();
    return (int) ((size + covered - 1) / covered);
  }

  static Qcow2Header read(ImageBytes bytes, long largestSize) throws StorageException {
    String image = bytes.name();
    if (bytes.size() < V2_LENGTH) {
      throw DiskImages.refused(image, "the qcow2 header is cut off");
    }
    ByteBuffer start = ByteBuffer.allocate((int) Math.min(bytes.size(), LONGEST));
    bytes.read(0, start);
    start.flip();
    int version = start.getInt(4);
    if (start.getInt(0) != MAGIC || (version != 2 && version != 3)) {
      throw DiskImages.refused(
          image, "qcow version " + version + " is not supported: convert it to qcow2");
    }
    int clusterBits = start.getInt(20);
    if (clusterBits < SMALLEST_BITS || clusterBits > LARGEST_BITS) {
      throw DiskImages.refused(
          image,
          "the qcow2 header has cluster bits "
              + clusterBits
              + ": expected "
              + SMALLEST_BITS
              + " to "
              + LARGEST_BITS);
    }
    requireAlone(image, start);
    int headerLength = V2_LENGTH;
    Compression compression = Compression.DEFLATE;
    if (version == 3) {
      headerLength = headerLength(image, start);
      compression = compression(image, start, headerLength);
    }
    requireExtensions(image, start, headerLength, 1L << clusterBits);
    Qcow2Header header =
        new Qcow2Header(
            version,
            clusterBits,
            start.getLong(24),
            start.getLong(40),
            start.getInt(36),
            start.getLong(48),
            start.getInt(56),
            compression);
    header.check(bytes, start, largestSize);
    return header;
  }

  /** Requires that the whole content is in this file and readable. */
  private static void requireAlone(String image, ByteBuffer start) throws StorageException {
    if (start.getLong(8) != 0 || start.getInt(16) != 0) {
      throw DiskImages.refused(
          image, "it has a backing file: flatten it with 'qemu-img convert' first");
    } else if (start.getInt(32) != 0) {
      throw DiskImages.refused(image, "it is encrypted: decrypt it with 'qemu-img convert' first");
    }
  }

  private static int headerLength(String image, ByteBuffer start) throws StorageException {
    if (start.limit() < V3_LENGTH) {
      throw DiskImages.refused(image, "the qcow2 header is cut off");
    }
    int length = start.getInt(100);
    if (length < V3_LENGTH || length > start.limit() || length % Long.BYTES != 0) {
      throw DiskImages.refused(image, "the qcow2 header has the impossible length " + length);
    }
    return length;
  }

  private static Compression compression(String image, ByteBuffer start, int headerLength)
      throws StorageException {
    long features = start.getLong(72);
    if ((features & CORRUPT) != 0) {
      throw DiskImages.refused(image, "it is marked as corrupt: repair it with 'qemu-img check'");
    } else if ((features & DATA_FILE) != 0) {
      throw DiskImages.refused(
          image, "it has an external data file: flatten it with 'qemu-img convert' first");
    }
    long unknown = features & ~(DIRTY | COMPRESSION_TYPE);
    if (unknown != 0) {
      throw DiskImages.refused(
          image,
          "it needs qcow2 features that are not supported: 0x"
              + Long.toHexString(unknown)
              + ": convert it with 'qemu-img convert' first");
    }
    int type = headerLength > V3_LENGTH ? start.get(V3_LENGTH) & 0xff : 0;
    boolean marked = (features & COMPRESSION_TYPE) != 0;
    if (marked != (type != 0) || type > 1) {
      throw DiskImages.refused(image, "it has the unknown qcow2 compression type " + type);
    }
    return type == 0 ? Compression.DEFLATE : Compression.ZSTD;
  }

  private static void requireExtensions(String image, ByteBuffer start, int from, long clusterSize)
      throws StorageException {
    long end = Math.min(start.limit(), clusterSize);
    long at = from;
    while (at + 2 * Integer.BYTES <= end) {
      int type = start.getInt((int) at);
      long length = Integer.toUnsignedLong(start.getInt((int) at + Integer.BYTES));
      if (type == 0) {
        return;
      } else if (type == DATA_FILE_NAME || type == ENCRYPTION || type == BACKING_FORMAT) {
        throw DiskImages.refused(
            image,
            "its qcow2 header names "
                + (type == ENCRYPTION ? "an encryption" : "another file")
                + ": convert it with 'qemu-img convert' first");
      }
      at += 2 * Integer.BYTES + (length + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
      if (at > clusterSize) {
        throw DiskImages.refused(
            image, "an extension of the qcow2 header has " + length + " bytes");
      }
    }
    if (end < clusterSize) {
      throw DiskImages.refused(image, "the extensions of the qcow2 header do not end");
    }
  }

  private void check(ImageBytes bytes, ByteBuffer start, long largestSize) throws StorageException {
    String image = bytes.name();
    DiskImages.requireSize(image, size, Math.min(largestSize, LARGEST_DISK));
    if (l1Entries < 0 || l1Entries > LARGEST_L1 || l1Entries < neededL1OrMore()) {
      throw DiskImages.refused(
          image,
          "its first-level table has "
              + Integer.toUnsignedString(l1Entries)
              + " entries for a disk"
              + " of "
              + size
              + " bytes");
    }
    table(bytes, "first-level table", l1Offset, (long) l1Entries * Long.BYTES);
    long refcountBytes = Integer.toUnsignedLong(refcountClusters) << clusterBits;
    if (refcountBytes > LARGEST_REFCOUNT_TABLE) {
      throw DiskImages.refused(image, "its reference table has " + refcountBytes + " bytes");
    }
    table(bytes, "reference table", refcountOffset, refcountBytes);
    long snapshots = Integer.toUnsignedLong(start.getInt(60));
    long snapshotTable = start.getLong(64);
    if (snapshots > MOST_SNAPSHOTS) {
      throw DiskImages.refused(image, "it has " + snapshots + " internal snapshots");
    } else if (snapshots > 0) {
      table(bytes, "snapshot table", snapshotTable, snapshots * V2_LENGTH / 2);
    }
  }

  /** As {@link #neededL1}, without overflow. */
  private long neededL1OrMore() {
    long covered = clusterSize() * l2Entries();
    return size / covered + (size % covered == 0 ? 0 : 1);
  }

  private void table(ImageBytes bytes, String what, long offset, long length)
      throws StorageException {
    boolean aligned = (offset & (clusterSize() - 1)) == 0;
    boolean inside = offset > 0 && offset <= bytes.size() && length <= bytes.size() - offset;
    if (!aligned || !inside) {
      throw DiskImages.refused(
          bytes.name(),
          "its "
              + what
              + " is at "
              + Long.toUnsignedString(offset)
              + (aligned
                  ? ", outside of its " + bytes.size() + " bytes"
                  : ", which is not the start of a cluster"));
    }
  }
}
