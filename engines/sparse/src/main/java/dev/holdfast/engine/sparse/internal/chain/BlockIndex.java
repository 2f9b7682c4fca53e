package dev.holdfast.engine.sparse.internal.chain;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Maps each block of a volume to the layer that contains it. Two levels: a chunk of 4 MiB whose
 * blocks all belong to one layer costs one byte; a mixed chunk has an array with one byte per
 * block. Blocks are 4 KiB. Layer 0 means that no layer holds the block, so it reads as zeroes.
 *
 * <p>Reads take no lock. Only one thread at a time may write a block; different threads may write
 * different blocks concurrently.
 */
public final class BlockIndex {
  public static final int BLOCK_SHIFT = 12;
  public static final int BLOCK_SIZE = 1 << BLOCK_SHIFT;
  static final int NOWHERE = 0;
  static final int MAX_LAYER = 255;

  private static final int CHUNK_SHIFT = 10;
  private static final int CHUNK_BLOCKS = 1 << CHUNK_SHIFT;
  private static final VarHandle CHUNK = MethodHandles.arrayElementVarHandle(byte[][].class);
  private static final VarHandle BYTE = MethodHandles.arrayElementVarHandle(byte[].class);

  // UNIFORM[layer] is a shared array of length 1 that represents a whole chunk of that layer. A
  // chunk changes from uniform to mixed by replacing one reference.
  private static final byte[][] UNIFORM = new byte[MAX_LAYER + 1][];

  static {
    for (int layer = 0; layer <= MAX_LAYER; layer++) {
      UNIFORM[layer] = new byte[] {(byte) layer};
    }
  }

  private final long blocks;
  private final byte[][] chunks;

  BlockIndex(long blocks) {
    this.blocks = blocks;
    this.chunks = new byte[Math.toIntExact((blocks + CHUNK_BLOCKS - 1) >> CHUNK_SHIFT)][];
    Arrays.fill(chunks, UNIFORM[NOWHERE]);
  }

  /** Reuses the content of another index; see {@link #chunks}. */
  BlockIndex(long blocks, byte[][] chunks) {
    this.blocks = blocks;
    this.chunks = chunks;
  }

  /**
   * Returns the content, chunk by chunk: for each 4 MiB either one byte, the layer of all its
   * blocks, or one byte per block. The result is not a copy.
   */
  byte[][] chunks() {
    return chunks;
  }

  /**
   * Returns an index of a larger volume; no layer holds the added blocks. The new index takes over
   * the content of this one, which must not be used afterwards.
   */
  BlockIndex grown(long newBlocks) {
    BlockIndex grown = new BlockIndex(newBlocks);
    int last = chunks.length - 1;
    System.arraycopy(chunks, 0, grown.chunks, 0, chunks.length);
    if (chunkLength(last) < CHUNK_BLOCKS && chunks[last].length == 1) {
      grown.chunks[last] = UNIFORM[NOWHERE];
      grown.set((long) last << CHUNK_SHIFT, blocks, chunks[last][0] & 0xff);
    } else if (chunkLength(last) < CHUNK_BLOCKS) {
      Arrays.fill(chunks[last], (int) chunkLength(last), CHUNK_BLOCKS, (byte) NOWHERE);
    }
    return grown;
  }

  long blocks() {
    return blocks;
  }

  /** Returns the layer that holds a block. */
  int layer(long block) {
    byte[] values = chunk((int) (block >> CHUNK_SHIFT));
    int at = values.length == 1 ? 0 : (int) block & (CHUNK_BLOCKS - 1);
    return (byte) BYTE.getOpaque(values, at) & 0xff;
  }

  /** Returns the first block after {@code block}, at most {@code end}, that has another layer. */
  long runEnd(long block, long end) {
    return runEnd(block, end, layer(block));
  }

  /**
   * Returns the first block from {@code block}, at most {@code end}, that belongs to another layer
   * than {@code layer}. This is {@code block} itself when it moved to another layer since the
   * lookup.
   */
  long runEnd(long block, long end, int layer) {
    long at = block;
    while (at < end) {
      byte[] values = chunk((int) (at >> CHUNK_SHIFT));
      long chunkEnd = Math.min(end, ((at >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT);
      if (values.length == 1) {
        if ((values[0] & 0xff) != layer) {
          return at;
        }
        at = chunkEnd;
      } else {
        for (; at < chunkEnd; at++) {
          if (((byte) BYTE.getOpaque(values, (int) at & (CHUNK_BLOCKS - 1)) & 0xff) != layer) {
            return at;
          }
        }
      }
    }
    return end;
  }

  /** Sets the layer of the blocks from {@code first} up to {@code end}, exclusive. */
  void set(long first, long end, int layer) {
    for (long at = first; at < end; ) {
      int chunk = (int) (at >> CHUNK_SHIFT);
      long chunkEnd = Math.min(end, (long) (chunk + 1) << CHUNK_SHIFT);
      if (at == (long) chunk << CHUNK_SHIFT && chunkEnd - at == chunkLength(chunk)) {
        CHUNK.setRelease(chunks, chunk, UNIFORM[layer]);
      } else if (!uniformly(chunk, layer)) {
        byte[] values = mixed(chunk);
        for (long block = at; block < chunkEnd; block++) {
          BYTE.setOpaque(values, (int) block & (CHUNK_BLOCKS - 1), (byte) layer);
        }
      }
      at = chunkEnd;
    }
  }

  /**
   * Returns the first block at or after {@code from} that belongs to a layer, -1 when none does.
   */
  long next(int layer, long from) {
    for (long at = from; at < blocks; ) {
      byte[] values = chunk((int) (at >> CHUNK_SHIFT));
      long chunkEnd = Math.min(blocks, ((at >> CHUNK_SHIFT) + 1) << CHUNK_SHIFT);
      if (values.length == 1) {
        if ((values[0] & 0xff) == layer) {
          return at;
        }
      } else {
        for (; at < chunkEnd; at++) {
          if (((byte) BYTE.getOpaque(values, (int) at & (CHUNK_BLOCKS - 1)) & 0xff) == layer) {
            return at;
          }
        }
      }
      at = chunkEnd;
    }
    return -1;
  }

  /**
   * Moves all blocks of one layer to another while other threads write blocks. The caller ensures
   * that no block is assigned to {@code from} until the return.
   */
  void replace(int from, int to) {
    for (int chunk = 0; chunk < chunks.length; chunk++) {
      while (uniformly(chunk, from)) {
        CHUNK.compareAndSet(chunks, chunk, UNIFORM[from], UNIFORM[to]);
      }
      byte[] values = chunk(chunk);
      for (int i = 0; values.length > 1 && i < CHUNK_BLOCKS; i++) {
        if (values[i] == (byte) from) {
          BYTE.compareAndSet(values, i, (byte) from, (byte) to);
        }
      }
    }
  }

  /**
   * Makes mixed chunks uniform again whose blocks now belong to one layer. No other thread may
   * change this index.
   */
  void compact() {
    for (int chunk = 0; chunk < chunks.length; chunk++) {
      byte[] values = chunks[chunk];
      boolean uniform = true;
      for (int i = 1; uniform && i < Math.min(values.length, chunkLength(chunk)); i++) {
        uniform = values[i] == values[0];
      }
      if (uniform) {
        chunks[chunk] = UNIFORM[values[0] & 0xff];
      }
    }
  }

  /** Returns how many chunks have an array of their own. */
  int mixedChunks() {
    int count = 0;
    for (int chunk = 0; chunk < chunks.length; chunk++) {
      count += chunk(chunk).length == 1 ? 0 : 1;
    }
    return count;
  }

  private byte[] chunk(int chunk) {
    return (byte[]) CHUNK.getAcquire(chunks, chunk);
  }

  private boolean uniformly(int chunk, int layer) {
    byte[] values = chunk(chunk);
    return values.length == 1 && (values[0] & 0xff) == layer;
  }

  private byte[] mixed(int chunk) {
    while (true) {
      byte[] values = chunk(chunk);
      if (values.length > 1) {
        return values;
      }
      byte[] own = new byte[CHUNK_BLOCKS];
      Arrays.fill(own, values[0]);
      if (CHUNK.compareAndSet(chunks, chunk, values, own)) {
        return own;
      }
    }
  }

  private long chunkLength(int chunk) {
    return Math.min(CHUNK_BLOCKS, blocks - ((long) chunk << CHUNK_SHIFT));
  }
}
