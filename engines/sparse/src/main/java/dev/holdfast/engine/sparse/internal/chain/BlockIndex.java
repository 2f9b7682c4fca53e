package dev.holdfast.engine.sparse.internal.chain;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Maps each block of a volume to the layer that contains it. Two levels: a chunk of 4 MiB that is
 * all of one layer costs one byte, a mixed one an array with a byte per block. Blocks are 4 KiB;
 * layer 0 means that no layer holds the block, so it reads as zeroes.
 *
 * <p>Reads take no lock. A writer of a block must be alone with that block; writers of different
 * blocks may run together.
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

  // UNIFORM[layer] is the one shared array of length 1 that stands for a whole chunk of that layer,
  // so that a chunk changes from uniform to mixed by one reference.
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

  /** An index as another one left it; see {@link #chunks}. */
  BlockIndex(long blocks, byte[][] chunks) {
    this.blocks = blocks;
    this.chunks = chunks;
  }

  /**
   * Returns the content, chunk by chunk: for each 4 MiB one byte, the layer of all its blocks, or a
   * byte for every block. Not a copy.
   */
  byte[][] chunks() {
    return chunks;
  }

  /**
   * Returns an index of a larger volume, which holds nothing at its end. It takes over the content
   * of this one, which must not be used afterwards.
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
   * Returns the first block from {@code block} on, at most {@code end}, that is not of a layer:
   * {@code block} itself when the block has moved to another layer since the lookup.
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

  /** Sets the layer of the blocks from {@code first} up to, without, {@code end}. */
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

  /** Returns the first block at or after {@code from} that is in a layer, -1 when there is none. */
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
   * Moves all blocks of one layer to another, while others write blocks. The caller makes sure that
   * no block is assigned to {@code from} until it returns.
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
   * Makes mixed chunks uniform again where they have become so. No other thread may change this
   * one.
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

  /** Returns how many chunks need an array of their own. */
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
