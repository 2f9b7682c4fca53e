package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A qcow2 image (version 3, clusters of 64 KiB) of a disk whose ranges with data are known. The
 * image can be written from any offset, because the place of each of its bytes is known in advance:
 *
 * <pre>
 *   header, reference table, reference blocks, first-level table, second-level tables, data
 * </pre>
 *
 * <p>Immutable, thread-safe.
 */
public final class Qcow2Layout {
  /** Size of a cluster in bytes. The disk has data in a whole cluster or not at all. */
  public static final int CLUSTER = 1 << 16;

  private static final int CLUSTER_BITS = 16;
  private static final int SECTOR = 512;
  private static final int L2_ENTRIES = CLUSTER / Long.BYTES;
  private static final int BLOCK_ENTRIES = CLUSTER / Short.BYTES;
  private static final long COPIED = 1L << 63;
  private static final int HEADER_LENGTH = 104;
  private static final int REFCOUNT_ORDER = 4;

  private final long diskSize;
  private final BitSet data;
  private final int[] l1OfTable;
  private final long[] dataBefore;
  private final int l1Entries;
  private final long refcountTable;
  private final long refcountBlocks;
  private final long l1Clusters;
  private final long clusters;

  /** Receives an image piece by piece. */
  public interface Output {
    /**
     * Takes bytes of a table.
     *
     * @param bytes buffer whose remaining bytes are taken, not null
     * @throws StorageException ends the write
     */
    void table(ByteBuffer bytes) throws StorageException;

    /**
     * Takes a range of the disk; bytes behind the end of the disk are zeroes.
     *
     * @param offset offset on the disk in bytes
     * @param length more than 0
     * @throws StorageException ends the write
     */
    void disk(long offset, long length) throws StorageException;
  }

  /**
   * Plans the image.
   *
   * @param diskSize size of the disk in bytes, at least 1; the image's disk has whole sectors of
   *     512 bytes
   * @param data clusters of the disk with data; all others read as zeroes; not null
   */
  public Qcow2Layout(long diskSize, BitSet data) {
    this.diskSize = (diskSize + SECTOR - 1) / SECTOR * SECTOR;
    this.data = (BitSet) data.clone();
    long diskClusters = ceil(this.diskSize, CLUSTER);
    this.l1Entries = (int) ceil(diskClusters, L2_ENTRIES);
    this.l1Clusters = ceil(l1Entries, L2_ENTRIES);
    int[] tables = new int[l1Entries];
    long[] before = new long[l1Entries];
    int used = 0;
    long counted = 0;
    for (int l1 = 0; l1 < l1Entries; l1++) {
      long here = count(l1);
      if (here > 0) {
        tables[used] = l1;
        before[used++] = counted;
        counted += here;
      }
    }
    this.l1OfTable = Arrays.copyOf(tables, used);
    this.dataBefore = Arrays.copyOf(before, used);
    long others = 1 + l1Clusters + used + counted;
    long blocks = 1;
    long table = 1;
    // The blocks also count themselves and their table.
    while (blocks < ceil(others + blocks + table, BLOCK_ENTRIES)
        || table < ceil(blocks, L2_ENTRIES)) {
      blocks = ceil(others + blocks + table, BLOCK_ENTRIES);
      table = ceil(blocks, L2_ENTRIES);
    }
    this.refcountBlocks = blocks;
    this.refcountTable = table;
    this.clusters = others + blocks + table;
  }

  private static long ceil(long dividend, long divisor) {
    return (dividend + divisor - 1) / divisor;
  }

  private int count(int l1) {
    return data.get(l1 * L2_ENTRIES, (l1 + 1) * L2_ENTRIES).cardinality();
  }

  /** Returns the number of bytes of the image. */
  public long length() {
    return clusters * CLUSTER;
  }

  /**
   * Writes a range of the image.
   *
   * @param offset offset in the image
   * @param length inside the image
   * @param output receiver of the bytes, in ascending order, not null
   * @throws StorageException as the output throws it
   */
  public void write(long offset, long length, Output output) throws StorageException {
    long end = offset + length;
    for (long at = offset; at < end; ) {
      long cluster = at / CLUSTER;
      int within = (int) (at % CLUSTER);
      if (cluster < firstData()) {
        int count = (int) Math.min(CLUSTER - within, end - at);
        output.table(table(cluster).slice(within, count));
        at += count;
      } else {
        at += run(cluster - firstData(), within, end - at, output);
      }
    }
  }

  private long firstTable() {
    return 1 + refcountTable + refcountBlocks + l1Clusters;
  }

  private long firstData() {
    return firstTable() + l1OfTable.length;
  }

  /** Writes adjacent clusters of the disk together; returns the number of bytes. */
  private long run(long index, int within, long most, Output output) throws StorageException {
    int first = diskCluster(index);
    long length = Math.min(most, (long) CLUSTER * (data.nextClearBit(first) - first) - within);
    output.disk((long) first * CLUSTER + within, length);
    return length;
  }

  /** Returns the disk's cluster at an index among those with data. */
  private int diskCluster(long index) {
    int found = Arrays.binarySearch(dataBefore, index);
    int table = found >= 0 ? found : -found - 2;
    int cluster = data.nextSetBit(l1OfTable[table] * L2_ENTRIES);
    for (long left = index - dataBefore[table]; left > 0; left--) {
      cluster = data.nextSetBit(cluster + 1);
    }
    return cluster;
  }

  private ByteBuffer table(long cluster) {
    ByteBuffer buffer = ByteBuffer.allocate(CLUSTER);
    if (cluster == 0) {
      header(buffer);
    } else if (cluster < 1 + refcountTable) {
      long from = (cluster - 1) * L2_ENTRIES;
      for (long block = from; block < Math.min(from + L2_ENTRIES, refcountBlocks); block++) {
        buffer.putLong((1 + refcountTable + block) * CLUSTER);
      }
    } else if (cluster < 1 + refcountTable + refcountBlocks) {
      long from = (cluster - 1 - refcountTable) * BLOCK_ENTRIES;
      for (long used = from; used < Math.min(from + BLOCK_ENTRIES, clusters); used++) {
        buffer.putShort((short) 1);
      }
    } else if (cluster < firstTable()) {
      firstLevel(buffer, (int) (cluster - (firstTable() - l1Clusters)) * L2_ENTRIES);
    } else {
      secondLevel(buffer, (int) (cluster - firstTable()));
    }
    return buffer.clear();
  }

  private void header(ByteBuffer buffer) {
    buffer.putInt(Qcow2Header.MAGIC).putInt(3);
    buffer.putLong(0).putInt(0);
    buffer.putInt(CLUSTER_BITS).putLong(diskSize);
    buffer.putInt(0).putInt(l1Entries);
    buffer.putLong((firstTable() - l1Clusters) * CLUSTER);
    buffer.putLong(CLUSTER).putInt((int) refcountTable);
    // Without snapshots and features.
    buffer.putInt(0).putLong(0).putLong(0).putLong(0).putLong(0);
    buffer.putInt(REFCOUNT_ORDER).putInt(HEADER_LENGTH);
  }

  private void firstLevel(ByteBuffer buffer, int from) {
    for (int table = 0; table < l1OfTable.length; table++) {
      int entry = l1OfTable[table] - from;
      if (entry >= 0 && entry < L2_ENTRIES) {
        buffer.putLong(entry * Long.BYTES, ((firstTable() + table) * CLUSTER) | COPIED);
      }
    }
  }

  private void secondLevel(ByteBuffer buffer, int table) {
    int first = l1OfTable[table] * L2_ENTRIES;
    long at = (firstData() + dataBefore[table]) * CLUSTER;
    for (int cluster = data.nextSetBit(first);
        cluster >= 0 && cluster < first + L2_ENTRIES;
        cluster = data.nextSetBit(cluster + 1)) {
      buffer.putLong((cluster - first) * Long.BYTES, at | COPIED);
      at += CLUSTER;
    }
  }
}
