package dev.holdfast.lvm.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Content of a logical volume in blocks of 64 KiB. A write replaces a block, so that copies share
 * all other blocks. Not thread-safe.
 */
final class SimulatedBytes {
  static final int BLOCK = 64 << 10;

  private final TreeMap<Long, byte[]> blocks = new TreeMap<>();
  private final byte unwritten;
  private long zeroedTo;

  /** Creates unwritten content that reads as one value. */
  SimulatedBytes(int unwritten) {
    this.unwritten = (byte) unwritten;
  }

  /** Returns an independent copy of the content. */
  SimulatedBytes copy() {
    SimulatedBytes copy = new SimulatedBytes(unwritten);
    copy.blocks.putAll(blocks);
    copy.zeroedTo = zeroedTo;
    return copy;
  }

  void read(long offset, ByteBuffer target) {
    long at = offset;
    while (target.hasRemaining()) {
      int from = (int) (at % BLOCK);
      int length = Math.min(target.remaining(), BLOCK - from);
      byte[] block = blocks.get(at / BLOCK);
      for (int n = 0; block == null && n < length; n++) {
        target.put(at + n < zeroedTo ? 0 : unwritten);
      }
      if (block != null) {
        target.put(block, from, length);
      }
      at += length;
    }
  }

  void write(long offset, ByteBuffer source) {
    long at = offset;
    while (source.hasRemaining()) {
      int from = (int) (at % BLOCK);
      int length = Math.min(source.remaining(), BLOCK - from);
      byte[] before = blocks.get(at / BLOCK);
      byte[] block = new byte[BLOCK];
      if (before == null) {
        Arrays.fill(block, at - from + BLOCK <= zeroedTo ? 0 : unwritten);
      } else {
        System.arraycopy(before, 0, block, 0, BLOCK);
      }
      source.get(block, from, length);
      blocks.put(at / BLOCK, block);
      at += length;
    }
  }

  /** Discards the blocks that are completely in a range, like a thin pool. */
  void discard(long offset, long length) {
    long first = (offset + BLOCK - 1) / BLOCK;
    long end = (offset + length) / BLOCK;
    if (first < end) {
      blocks.subMap(first, end).clear();
    }
  }

  /** Writes zeroes, like the wipe of a volume from its first byte. */
  void zero(long from, long end) {
    if (from > zeroedTo) {
      throw new IllegalArgumentException("the wipe left a gap before " + from);
    }
    discard(from, end - from);
    zeroedTo = Math.max(zeroedTo, end);
  }

  /** Returns the numbers of the blocks that are written. */
  List<Long> written() {
    return new ArrayList<>(blocks.keySet());
  }

  /** Returns the numbers of the blocks that this content does not share with another one. */
  List<Long> differing(SimulatedBytes other) {
    TreeSet<Long> all = new TreeSet<>(blocks.keySet());
    all.addAll(other.blocks.keySet());
    return all.stream().filter(n -> blocks.get(n) != other.blocks.get(n)).toList();
  }
}
