package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;

/**
 * One entry of a second-level table, checked.
 *
 * @param kind kind of its cluster
 * @param offset of the data in the image
 * @param length of the data in the image
 */
record Qcow2Entry(Kind kind, long offset, long length) {
  private static final Qcow2Entry ABSENT = new Qcow2Entry(Kind.ABSENT, 0, 0);
  private static final long COMPRESSED = 1L << 62;
  private static final long OFFSET = 0x00fffffffffffe00L;
  private static final long COPIED = 1L << 63;
  private static final int SECTOR_BITS = 9;

  /** Kind of a cluster according to its entry. */
  enum Kind {
    /** Reads as zeroes and has no data. */
    ABSENT,
    /** Reads as zeroes; a cluster of the image is reserved for it. */
    ZERO,
    /** The image contains its bytes. */
    DATA,
    /** The image contains its bytes in compressed form. */
    COMPRESSED
  }

  /** Returns whether the cluster reads as zeroes. */
  boolean readsZero() {
    return kind == Kind.ABSENT || kind == Kind.ZERO;
  }

  /**
   * Reads an entry.
   *
   * @param needed number of the cluster's bytes that belong to the disk
   */
  static Qcow2Entry read(ImageBytes bytes, Qcow2Header header, long entry, long needed)
      throws StorageException {
    if ((entry & COMPRESSED) != 0) {
      return compressed(bytes, header, entry);
    }
    long zeroFlag = header.version() >= 3 ? 1 : 0;
    if ((entry & ~(OFFSET | COPIED | zeroFlag)) != 0) {
      throw wrong(bytes, entry, "has reserved bits");
    }
    long offset = entry & OFFSET;
    boolean zero = (entry & zeroFlag) != 0;
    if (offset == 0) {
      return ABSENT;
    }
    if ((offset & (header.clusterSize() - 1)) != 0) {
      throw wrong(bytes, entry, "does not name the start of a cluster");
    }
    // The image may lack the data of a last cluster that is only reserved.
    if (offset > bytes.size() - (zero ? 0 : needed)) {
      throw wrong(bytes, entry, "names data outside of the image");
    }
    return new Qcow2Entry(zero ? Kind.ZERO : Kind.DATA, offset, needed);
  }

  private static Qcow2Entry compressed(ImageBytes bytes, Qcow2Header header, long entry)
      throws StorageException {
    if ((entry & COPIED) != 0) {
      throw wrong(bytes, entry, "has reserved bits");
    }
    int sizeShift = 62 - (header.clusterBits() - 8);
    long offset = entry & ((1L << sizeShift) - 1);
    long sectors = (entry & (COMPRESSED - 1)) >>> sizeShift;
    long end = ((offset >>> SECTOR_BITS) + sectors + 1) << SECTOR_BITS;
    if (offset <= 0 || offset >= bytes.size() || end < offset) {
      throw wrong(bytes, entry, "names packed data outside of the image");
    }
    // The last sector of an image may be shorter.
    return new Qcow2Entry(Kind.COMPRESSED, offset, Math.min(end, bytes.size()) - offset);
  }

  private static StorageException wrong(ImageBytes bytes, long entry, String why) {
    return DiskImages.refused(
        bytes.name(), "the second-level entry 0x" + Long.toHexString(entry) + " " + why);
  }
}
