package dev.holdfast.backupstore.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.BitSet;

/** The blocks of a backup that is being written, by their numbers. Thread-safe. */
public final class BlockTable {
  private static final int WORDS = 4;
  private static final long MOST_BLOCKS = 1L << 26;

  private final BitSet present = new BitSet();
  private final long[] hashes;
  private final int blockSize;
  private final int blocks;

  public BlockTable(String subject, long size, int blockSize) throws StorageException {
    long count = (size + blockSize - 1) / blockSize;
    if (count > MOST_BLOCKS) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          subject + ": " + count + " blocks: at most " + MOST_BLOCKS + ": use larger blocks");
    }
    this.blockSize = blockSize;
    this.blocks = (int) count;
    this.hashes = new long[WORDS * blocks];
  }

  /** Takes over the blocks of an earlier backup that lie within the size. */
  public synchronized void copy(BlockList earlier) {
    for (int i = 0; i < earlier.size(); i++) {
      long index = earlier.offset(i) / blockSize;
      if (index < blocks) {
        put((int) index, earlier.hash(i));
      }
    }
  }

  public synchronized void put(int index, BlockList.Hash hash) {
    present.set(index);
    hashes[WORDS * index] = hash.first();
    hashes[WORDS * index + 1] = hash.second();
    hashes[WORDS * index + 2] = hash.third();
    hashes[WORDS * index + 3] = hash.fourth();
  }

  public synchronized void remove(int index) {
    present.clear(index);
  }

  public synchronized boolean has(int index) {
    return present.get(index);
  }

  public synchronized BlockList.Hash hash(int index) {
    return new BlockList.Hash(
        hashes[WORDS * index],
        hashes[WORDS * index + 1],
        hashes[WORDS * index + 2],
        hashes[WORDS * index + 3]);
  }

  /** Returns how many numbers of blocks there are, present or not. */
  public int limit() {
    return blocks;
  }

  public int blockSize() {
    return blockSize;
  }

  /** Returns how many blocks are present. */
  public synchronized int count() {
    return present.cardinality();
  }
}
