package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Checks all tables of an image before any use: each lies inside the image, and each cluster of the
 * image serves one purpose. A table can therefore not be its own child.
 */
final class Qcow2Check {
  private static final long OFFSET = 0x00fffffffffffe00L;
  private static final long COPIED = 1L << 63;
  private static final long MOST_CLUSTERS = 1L << 28;
  private static final int PIECE = 1 << 16;

  private final ImageBytes bytes;
  private final Qcow2Header header;
  private final BitSet used = new BitSet();
  private final BitSet packed = new BitSet();

  private Qcow2Check(ImageBytes bytes, Qcow2Header header) {
    this.bytes = bytes;
    this.header = header;
  }

  /** Checks an image and returns the offsets of its second-level tables, 0 for an absent one. */
  static long[] tables(ImageBytes bytes, Qcow2Header header) throws StorageException {
    if (bytes.size() / header.clusterSize() >= MOST_CLUSTERS) {
      throw DiskImages.refused(
          bytes.name(),
          "it has more than "
              + MOST_CLUSTERS
              + " clusters: convert it with 'qemu-img convert' to a larger cluster size");
    }
    return new Qcow2Check(bytes, header).run();
  }

  private long[] run() throws StorageException {
    claim("the header", 0, 1);
    claim("the first-level table", header.l1Offset(), (long) header.l1Entries() * Long.BYTES);
    long refcounts = Integer.toUnsignedLong(header.refcountClusters()) << header.clusterBits();
    if (refcounts > 0) {
      claim("the reference table", header.refcountOffset(), refcounts);
      claimRefcountBlocks(refcounts);
    }
    long[] tables = new long[header.neededL1()];
    ByteBuffer l1 = ByteBuffer.allocate(tables.length * Long.BYTES);
    bytes.read(header.l1Offset(), l1);
    for (int i = 0; i < tables.length; i++) {
      tables[i] = tableAt(l1.getLong(i * Long.BYTES), "first-level entry", COPIED);
      if (tables[i] != 0) {
        claim("a second-level table", tables[i], header.clusterSize());
      }
    }
    // Data must not overlap a table, so all tables are checked first.
    for (int i = 0; i < tables.length; i++) {
      if (tables[i] != 0) {
        claimData(i, tables[i]);
      }
    }
    return tables;
  }

  private long tableAt(long entry, String what, long flags) throws StorageException {
    long offset = entry & OFFSET;
    boolean wrong =
        (entry & ~(OFFSET | flags)) != 0
            || (offset & (header.clusterSize() - 1)) != 0
            || offset > bytes.size() - header.clusterSize();
    if (wrong) {
      throw DiskImages.refused(
          bytes.name(),
          "the " + what + " 0x" + Long.toHexString(entry) + " names a table outside of the image");
    }
    return offset;
  }

  private void claimRefcountBlocks(long tableBytes) throws StorageException {
    ByteBuffer piece = ByteBuffer.allocate((int) Math.min(tableBytes, PIECE));
    for (long at = 0; at < tableBytes; at += piece.capacity()) {
      piece.clear().limit((int) Math.min(piece.capacity(), tableBytes - at));
      bytes.read(header.refcountOffset() + at, piece);
      piece.flip();
      while (piece.hasRemaining()) {
        long block = tableAt(piece.getLong(), "reference entry", 0);
        if (block != 0) {
          claim("a reference block", block, header.clusterSize());
        }
      }
    }
  }

  private void claimData(int index, long table) throws StorageException {
    ByteBuffer l2 = ByteBuffer.allocate((int) header.clusterSize());
    bytes.read(table, l2);
    long guest = (long) index * header.l2Entries() * header.clusterSize();
    for (int i = 0; i < header.l2Entries() && guest < header.size(); i++) {
      long needed = Math.min(header.clusterSize(), header.size() - guest);
      Qcow2Entry entry = Qcow2Entry.read(bytes, header, l2.getLong(i * Long.BYTES), needed);
      switch (entry.kind()) {
        case ABSENT -> {
          // An absent cluster takes no space.
        }
        case DATA, ZERO -> claim("a cluster", entry.offset(), 1);
        case COMPRESSED -> claimPacked(entry);
      }
      guest += header.clusterSize();
    }
  }

  private void claim(String what, long offset, long length) throws StorageException {
    int first = (int) (offset >>> header.clusterBits());
    int end = (int) ((offset + length - 1) >>> header.clusterBits()) + 1;
    for (int cluster = first; cluster < end; cluster++) {
      if (used.get(cluster) || packed.get(cluster)) {
        throw overlap(what, cluster);
      }
      used.set(cluster);
    }
  }

  /** Packed clusters may share a cluster of the image only with each other. */
  private void claimPacked(Qcow2Entry entry) throws StorageException {
    int first = (int) (entry.offset() >>> header.clusterBits());
    int last = (int) ((entry.offset() + entry.length() - 1) >>> header.clusterBits());
    for (int cluster = first; cluster <= last; cluster++) {
      if (used.get(cluster)) {
        throw overlap("packed data", cluster);
      }
      packed.set(cluster);
    }
  }

  private StorageException overlap(String what, long cluster) {
    return DiskImages.refused(
        bytes.name(),
        what
            + " at "
            + (cluster << header.clusterBits())
            + " overlaps another part of the image: repair it with 'qemu-img check'");
  }
}
