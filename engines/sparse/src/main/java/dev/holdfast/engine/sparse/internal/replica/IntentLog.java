package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A replica's durable marks: the regions in which it may differ from the other replicas. The file
 * has a header with the boot in which the marks were made, then one record per marking. Each record
 * is appended and synced before the first write into the region.
 *
 * <p>A damaged last record was never synced, so no write relied on it, and it is ignored. Damage
 * before the last record makes the whole log unreadable.
 */
final class IntentLog implements Closeable {
  private static final byte[] MAGIC = "HFINTENT".getBytes(StandardCharsets.US_ASCII);
  private static final int BOOT_LENGTH = 48;
  private static final int HEADER = 64;
  private static final int RECORD = 16;
  private static final int SECTOR = 512;

  private final ReplicaDirectory directory;
  private final ByteBuffer records = ByteBuffer.allocateDirect(SECTOR);
  private ReplicaFile file;
  private long end;

  private IntentLog(ReplicaDirectory directory) {
    this.directory = directory;
  }

  /**
   * Content of a log.
   *
   * @param boot boot in which the marks were made
   * @param marked regions
   */
  record Content(String boot, BitSet marked) {}

  /** Reads the log, empty when there is none. */
  static Optional<Content> read(ReplicaDirectory directory) throws IOException {
    Optional<byte[]> bytes = directory.load(StateFiles.INTENT);
    return bytes.isEmpty()
        ? Optional.empty()
        : Optional.of(parse(directory.path(), ByteBuffer.wrap(bytes.get())));
  }

  private static Content parse(String path, ByteBuffer bytes) throws IOException {
    if (bytes.remaining() < HEADER || bytes.getInt(HEADER - 4) != checksum(bytes, 0, HEADER - 4)) {
      throw new IOException(path + "/" + StateFiles.INTENT + " is damaged in its header");
    }
    byte[] boot = new byte[BOOT_LENGTH];
    bytes.get(MAGIC.length, boot);
    BitSet marked = new BitSet();
    boolean damaged = false;
    for (int at = HEADER; at + RECORD <= bytes.limit(); at += RECORD) {
      if (bytes.getInt(at + RECORD - 4) != checksum(bytes, at, RECORD - 4)
          || bytes.getInt(at) != at) {
        damaged = true;
      } else if (damaged) {
        throw new IOException(path + "/" + StateFiles.INTENT + " is damaged before its end");
      } else {
        int first = bytes.getInt(at + 4);
        marked.set(first, first + bytes.getInt(at + 8));
      }
    }
    return new Content(new String(boot, StandardCharsets.US_ASCII).trim(), marked);
  }

  /** Replaces the log durably by one with exactly these marks, and opens it for appending. */
  static IntentLog create(ReplicaDirectory directory, String boot, BitSet marked)
      throws IOException {
    IntentLog log = new IntentLog(directory);
    log.replace(boot, marked);
    return log;
  }

  /** Replaces the content durably. */
  synchronized void replace(String boot, BitSet marked) throws IOException {
    byte[] bootBytes = boot.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer header = ByteBuffer.allocate(HEADER).put(MAGIC);
    header.put(bootBytes, 0, Math.min(bootBytes.length, BOOT_LENGTH));
    header.putInt(HEADER - 4, checksum(header, 0, HEADER - 4));
    int runs = 0;
    for (int at = marked.nextSetBit(0); at >= 0; at = marked.nextSetBit(marked.nextClearBit(at))) {
      runs++;
    }
    ByteBuffer content = ByteBuffer.allocate(HEADER + runs * RECORD).put(header.rewind());
    for (int at = marked.nextSetBit(0); at >= 0; at = marked.nextSetBit(marked.nextClearBit(at))) {
      putRecord(content, content.position(), at, marked.nextClearBit(at) - at);
    }
    // On a full disk this fails before the old log, which is still open, is replaced.
    directory.store(StateFiles.INTENT, content.array());
    close();
    file = directory.open(StateFiles.INTENT);
    end = content.capacity();
  }

  /**
   * Marks regions durably. Records that share a sector of the disk share a write and a sync: a
   * sector is written atomically, so no intact record can follow a damaged one.
   */
  synchronized void mark(BitSet regions) throws IOException {
    records.clear();
    for (int at = regions.nextSetBit(0); at >= 0; ) {
      int clear = regions.nextClearBit(at);
      putRecord(records, end + records.position(), at, clear - at);
      at = regions.nextSetBit(clear);
      if (at < 0 || (end + records.position()) % SECTOR == 0) {
        int length = records.position();
        file.write(records.flip(), end);
        file.sync();
        end += length;
        records.clear();
      }
    }
  }

  private static void putRecord(ByteBuffer target, long position, int first, int count) {
    int at = target.position();
    target.putInt((int) position).putInt(first).putInt(count);
    target.putInt(checksum(target, at, RECORD - 4));
  }

  private static int checksum(ByteBuffer bytes, int from, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes.duplicate().clear().position(from).limit(from + length));
    return (int) checksum.getValue();
  }

  @Override
  public synchronized void close() throws IOException {
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
