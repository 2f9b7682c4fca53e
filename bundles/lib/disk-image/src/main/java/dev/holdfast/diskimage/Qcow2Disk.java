package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** The disk of a qcow2 image. Caches one second-level table and one unpacked cluster. */
final class Qcow2Disk implements VirtualDisk {
  private final ImageBytes bytes;
  private final Qcow2Header header;
  private final long[] tables;
  private final ByteBuffer table;
  private final ClusterDecoder decoder;
  private final boolean owner;
  private int loaded = -1;

  private Qcow2Disk(ImageBytes bytes, Qcow2Header header, long[] tables, boolean owner) {
    this.bytes = bytes;
    this.header = header;
    this.tables = tables;
    this.table = ByteBuffer.allocate((int) header.clusterSize());
    this.decoder = new ClusterDecoder(bytes, header);
    this.owner = owner;
  }

  static Qcow2Disk open(ImageBytes bytes, long largestSize) throws StorageException {
    Qcow2Header header = Qcow2Header.read(bytes, largestSize);
    return new Qcow2Disk(bytes, header, Qcow2Check.tables(bytes, header), true);
  }

  @Override
  public ImageFormat format() {
    return ImageFormat.QCOW2;
  }

  @Override
  public long size() {
    return header.size();
  }

  @Override
  public Run run(long offset) throws StorageException {
    boolean zero = true;
    long end = offset;
    do {
      boolean next = readsZero(end);
      if (end == offset) {
        zero = next;
      } else if (next != zero) {
        break;
      }
      end = Math.min(header.size(), nextStart(end));
    } while (end < header.size());
    return new Run(end - offset, zero);
  }

  private boolean readsZero(long offset) throws StorageException {
    return tables[tableOf(offset)] == 0 || entry(offset).readsZero();
  }

  /** Returns the start of the next part, which may be of another kind. */
  private long nextStart(long offset) {
    long step =
        tables[tableOf(offset)] == 0
            ? header.clusterSize() * header.l2Entries()
            : header.clusterSize();
    return (offset / step + 1) * step;
  }

  private int tableOf(long offset) {
    return (int) ((offset >>> header.clusterBits()) / header.l2Entries());
  }

  private Qcow2Entry entry(long offset) throws StorageException {
    long cluster = offset >>> header.clusterBits();
    int index = tableOf(offset);
    if (loaded != index) {
      loaded = -1;
      bytes.read(tables[index], table.clear());
      loaded = index;
    }
    long start = cluster << header.clusterBits();
    long needed = Math.min(header.clusterSize(), header.size() - start);
    int place = (int) (cluster % header.l2Entries()) * Long.BYTES;
    return Qcow2Entry.read(bytes, header, table.getLong(place), needed);
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    int limit = target.limit();
    long at = offset;
    while (target.hasRemaining()) {
      int inside = (int) (at & (header.clusterSize() - 1));
      int count = (int) Math.min(target.remaining(), header.clusterSize() - inside);
      if (readsZero(at)) {
        zeroes(target, count);
      } else {
        Qcow2Entry entry = entry(at);
        if (entry.kind() == Qcow2Entry.Kind.COMPRESSED) {
          ByteBuffer cluster = decoder.decode(entry);
          target.put(cluster.slice(inside, count));
        } else {
          count = contiguous(at, entry, count, target.remaining());
          target.limit(target.position() + count);
          bytes.read(entry.offset() + inside, target);
          target.limit(limit);
        }
      }
      at += count;
    }
  }

  /** Extends a read over clusters that are contiguous in the image. */
  private int contiguous(long at, Qcow2Entry entry, int count, int wanted) throws StorageException {
    int length = count;
    long expected = entry.offset() + header.clusterSize();
    while (length < wanted && tableOf(at + length) == loaded) {
      Qcow2Entry next = entry(at + length);
      if (next.kind() != Qcow2Entry.Kind.DATA || next.offset() != expected) {
        break;
      }
      length = (int) Math.min(wanted, length + header.clusterSize());
      expected += header.clusterSize();
    }
    return length;
  }

  private static void zeroes(ByteBuffer target, int count) {
    int end = target.position() + count;
    while (end - target.position() >= Long.BYTES) {
      target.putLong(0);
    }
    while (target.position() < end) {
      target.put((byte) 0);
    }
  }

  @Override
  public VirtualDisk another() {
    return new Qcow2Disk(bytes, header, tables, false);
  }

  @Override
  public void close() {
    decoder.close();
    if (owner) {
      bytes.close();
    }
  }
}
