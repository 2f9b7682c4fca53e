package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.BlockWorkers;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.Supplier;

/**
 * Reads chunks of a snapshot and sends those that are not known. Chunks of a batch are read, hashed
 * and compressed by several threads, and then packed in the order of their numbers.
 */
final class ChunkUpload {
  private static final int BATCH = 4 << 20;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final BackupSource source;
  private final PackedFormat format;
  private final PackedPool pool;
  private final boolean keepsZeroes;
  private final Packs packs;
  private final byte[] zeroes;
  private long readBytes;

  /** A chunk after it was read; without a hash if it is zeroes. */
  private record Chunk(BlockList.Hash hash, ByteBuffer stored) {}

  /**
   * @param keepsZeroes whether a chunk of zeroes is stored, because an image would show through
   */
  ChunkUpload(
      ObjectStore store,
      BackupSource source,
      PackedFormat format,
      PackedPool pool,
      boolean keepsZeroes,
      Supplier<Instant> time) {
    this.source = source;
    this.format = format;
    this.pool = pool;
    this.keepsZeroes = keepsZeroes;
    this.packs = new Packs(store, format, time);
    this.zeroes = new byte[format.chunkSize()];
  }

  /** Handles the chunks of these numbers; returns what the snapshot has there. */
  ChunkList run(BitSet chunks, int threads, LonghornBackupWriter.Progress progress)
      throws StorageException {
    int[] numbers = chunks.stream().toArray();
    long total = (long) numbers.length * format.chunkSize();
    int batch = Math.max(threads, BATCH / format.chunkSize());
    ChunkList.Builder list = new ChunkList.Builder();
    for (int from = 0; from < numbers.length; from += batch) {
      int[] some = Arrays.copyOfRange(numbers, from, Math.min(numbers.length, from + batch));
      Chunk[] read = read(some, threads);
      for (int i = 0; i < some.length; i++) {
        add(list, some[i], read[i]);
      }
      progress.advanced((long) (from + some.length) * format.chunkSize(), total);
    }
    packs.send();
    return list.build();
  }

  private Chunk[] read(int[] numbers, int threads) throws StorageException {
    Chunk[] read = new Chunk[numbers.length];
    BlockWorkers.run(
        "writing a backup",
        BlockWorkers.affordable(threads, 3L * format.chunkSize()),
        numbers.length,
        () -> {
          byte[] block = new byte[format.chunkSize()];
          MessageDigest digest = SealedText.sha256();
          return i -> read[i] = read(numbers[i], block, digest);
        });
    for (int number : numbers) {
      readBytes += lengthAt(number);
    }
    return read;
  }

  private int lengthAt(int number) {
    return (int)
        Math.min(format.chunkSize(), source.sizeBytes() - (long) number * format.chunkSize());
  }

  /** Reads a chunk; what lies behind the end of the volume is zeroes. */
  private Chunk read(int number, byte[] block, MessageDigest digest) throws StorageException {
    int length = lengthAt(number);
    source.read((long) number * block.length, ByteBuffer.wrap(block, 0, length));
    Arrays.fill(block, length, block.length, (byte) 0);
    if (!keepsZeroes && Arrays.equals(block, zeroes)) {
      return new Chunk(null, NOTHING);
    }
    BlockList.Hash hash = BlockList.Hash.of(digest.digest(block));
    if (pool.find(hash) != null) {
      return new Chunk(hash, NOTHING);
    }
    try {
      ByteBuffer stored = format.compression().compress(block);
      byte[] exact = new byte[stored.remaining()];
      stored.get(exact);
      return new Chunk(hash, ByteBuffer.wrap(exact));
    } catch (IOException e) {
      throw StorageException.io("chunk " + number, e);
    }
  }

  private void add(ChunkList.Builder list, int number, Chunk chunk) throws StorageException {
    if (chunk.hash() == null) {
      list.addZeroes(number);
      return;
    }
    ChunkList.Place place = pool.find(chunk.hash());
    if (place == null) {
      place = packs.add(chunk.hash(), chunk.stored());
      pool.learn(chunk.hash(), place);
    }
    list.add(number, chunk.hash(), place);
  }

  long readBytes() {
    return readBytes;
  }

  long sentBytes() {
    return packs.sentBytes();
  }
}
