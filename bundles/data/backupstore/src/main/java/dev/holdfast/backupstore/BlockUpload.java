package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.BlockPool;
import dev.holdfast.backupstore.internal.BlockTable;
import dev.holdfast.backupstore.internal.BlockWorkers;
import dev.holdfast.backupstore.internal.KnownBlocks;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads blocks of a snapshot, compares them with the known ones and sends those that are missing.
 */
final class BlockUpload {
  private final ObjectStore store;
  private final BackupRequest request;
  private final BackupSource source;
  private final Compression compression;
  private final KnownBlocks known;
  private final KnownBlocks repeated = new KnownBlocks();
  private final BlockTable table;
  private final byte[] zeroes;
  private final boolean keepsZeroes;
  private final AtomicLong readBytes = new AtomicLong();
  private final AtomicLong newBytes = new AtomicLong();
  private final AtomicLong repeatedBytes = new AtomicLong();

  /**
   * Counts of an upload.
   *
   * @param readBytes of the snapshot
   * @param newBytes stored in blocks that were missing
   * @param repeatedBytes stored in blocks that were there
   */
  record Totals(long readBytes, long newBytes, long repeatedBytes) {}

  /** Called after each block. */
  interface Step {
    void done(long doneBytes, long totalBytes) throws StorageException;
  }

  BlockUpload(
      ObjectStore store,
      BackupRequest request,
      BackupSource source,
      VolumeConfig volume,
      KnownBlocks known,
      BlockTable table)
      throws StorageException {
    this.store = store;
    this.request = request;
    this.source = source;
    this.compression = volume.compression();
    this.keepsZeroes = volume.isAboveImage();
    this.known = known;
    this.table = table;
    this.zeroes = new byte[table.blockSize()];
  }

  /** Handles the blocks of these numbers; the table then has them as the snapshot has them. */
  void run(BitSet blocks, int threads, Step step) throws StorageException {
    int[] indexes = blocks.stream().toArray();
    long total = (long) indexes.length * table.blockSize();
    AtomicLong done = new AtomicLong();
    BlockWorkers.run(
        "writing a backup",
        BlockWorkers.affordable(threads, 3L * table.blockSize()),
        indexes.length,
        () -> {
          byte[] block = new byte[table.blockSize()];
          MessageDigest digest = BlockPool.digest();
          return i -> {
            handle(indexes[i], block, digest);
            step.done(done.addAndGet(block.length), total);
          };
        });
  }

  private void handle(int index, byte[] block, MessageDigest digest) throws StorageException {
    read(index, block);
    if (!keepsZeroes && Arrays.equals(block, zeroes)) {
      // A block that is absent is zeroes, or the bytes of the image below.
      table.remove(index);
      return;
    }
    BlockList.Hash hash = BlockList.Hash.of(digest.digest(block));
    if (known.add(hash)) {
      newBytes.addAndGet(send(block, hash));
    } else if (request.full() && repeated.add(hash)) {
      repeatedBytes.addAndGet(send(block, hash));
    }
    table.put(index, hash);
  }

  /** Fills a block; what lies behind the end of the volume is zeroes. */
  private void read(int index, byte[] block) throws StorageException {
    long offset = (long) index * block.length;
    int length = (int) Math.min(block.length, source.sizeBytes() - offset);
    source.read(offset, ByteBuffer.wrap(block, 0, length));
    Arrays.fill(block, length, block.length, (byte) 0);
    readBytes.addAndGet(length);
  }

  private long send(byte[] block, BlockList.Hash hash) throws StorageException {
    try {
      ByteBuffer stored = compression.compress(block);
      long size = stored.remaining();
      store.put(
          LonghornKeys.block(request.name().volume(), hash.text()),
          List.of(stored),
          PutOptions.REPLACE);
      if (request.full()) {
        repeated.add(hash);
      }
      return size;
    } catch (IOException e) {
      throw StorageException.io("backup " + request.name(), e);
    }
  }

  Totals totals() {
    return new Totals(readBytes.get(), newBytes.get(), repeatedBytes.get());
  }
}
