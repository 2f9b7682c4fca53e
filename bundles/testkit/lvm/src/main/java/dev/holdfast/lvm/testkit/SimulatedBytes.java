package dev.holdfast.lvm.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Content of a logical volume in blocks of 64 KiB. A block is replaced when it is written, so that
 * a copy shares all others. Not thread-safe.
 */
final class SimulatedBytes {
  static final int BLOCK = 64 << 10;

  private final TreeMap<Long, byte[]> blocks = new TreeMap<>();
  private final byte unwritten;
  private long zeroedTo;

  /** Creates a content of which nothing was written, and which reads as one value. */
  SimulatedBytes(int unwritten) {
    this.unwritten = (byte) unwritten;
  }

  /** Returns the same content, which later changes of either do not affect. */
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

  /** Forgets the blocks that are completely in a range, as a thin pool does. */
  void discard(long offset, long length) {
    long first = (offset + BLOCK - 1) / BLOCK;
    long end = (offset + length) / BLOCK;
    if (first < end) {
      blocks.subMap(first, end).clear();
    }
  }

  /** Writes zeroes, as the wipe of a volume does from its first byte on. */
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

  /** Returns the numbers of the blocks that this one does not share with another content. */
  List<Long> differing(SimulatedBytes other) {
    TreeSet<Long> all = new TreeSet<>(blocks.keySet());
    all.addAll(other.blocks.keySet());
    return all.stream().filter(n -> blocks.get(n) != other.blocks.get(n)).toList();
  }
}
